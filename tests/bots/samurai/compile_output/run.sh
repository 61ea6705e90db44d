#!/bin/sh
exec ./bot "$@"
