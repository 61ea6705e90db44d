"""Pages: one folder an area, each with its views, forms, URLs and administration."""
