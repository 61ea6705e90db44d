"""The documentation on the site: the pages of `docs/`, in the site's look."""
