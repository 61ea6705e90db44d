// Chooses the reader's own time zone in a form that has none chosen yet.
"use strict";
{
  const form = document.querySelector("form[data-own-zone]");
  const zones = form && form.elements.namedItem("time_zone");
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (zones && zones.value === "UTC" && [...zones.options].some((option) => option.value === own)) {
    zones.value = own;
  }
}
