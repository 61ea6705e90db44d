"""What pages of every app share: requests, downloads, errors, the administration."""
