"""Answers with what a terminal or a page would obey. Expect: held"""
import os

def go():
    os.write(2, b"\x1b]0;evil\x07\x1b[2J\x1b[31m<script>alert(1)</script>\x00\xff\xfe\n" * 1000)
