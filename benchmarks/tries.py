"""Measures how long a user waits for a trial: from the click on **Try** to the result, on a running site.

    python -m benchmarks.tries URL [COMPETITION...] [--count 20] [--language python]

Sends the same requests as the editor's page, over HTTP and without an account: the starter, changed a little
each time so that it has to be built, then polls every 300 ms until the match has been played. The site allows
20 trials per minute, so competitions are measured one after another. Prints the median and the 95th
percentile (nearest rank) in seconds.
"""

from __future__ import annotations

import argparse
import html
import re
import statistics
import time

import httpx

from benchmarks.measure import p95

POLL = 0.3  # seconds, as on the page
PAUSE = 3.2  # seconds between the starts of two trials, to stay within the site's limit
FIELD = re.compile(r'<textarea name="text"[^>]*>\s?(.*?)</textarea>', re.DOTALL)
OPPONENT = re.compile(r'<select name="opponent".*?<option value="(\d+)"', re.DOTALL)
NEXT = re.compile(r'hx-get="([^"]+)" hx-trigger')
COMMENTS = {"python": "#", "c": "//", "cpp": "//", "java": "//", "javascript": "//"}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tries")
    parser.add_argument("url")
    parser.add_argument("competitions", nargs="*", default=["honest-rps", "coup", "samurai"])
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--language", choices=COMMENTS, default="python")
    options = parser.parse_args()
    for slug in options.competitions:
        took = sorted(time_trials(options.url, slug, options.count, options.language))
        print(
            f"{slug} ({options.language}): {len(took)} tries, median {statistics.median(took):.2f} s, "
            f"95 % within {p95(took):.2f} s, longest {took[-1]:.2f} s",
            flush=True,
        )


def time_trials(url: str, slug: str, count: int, language: str) -> list[float]:
    """Seconds of each trial. Raises RuntimeError if one does not end with a match without a fault."""
    starters = {"python": "StarterPy", "c": "StarterC", "cpp": "StarterCpp", "java": "StarterJava"}
    with httpx.Client(base_url=url, timeout=60) as browser:
        path = f"/c/{slug}/editor/"
        page = browser.get(path, params={"starter": starters.get(language, "StarterJs")}).text
        text, opponent = FIELD.search(page), OPPONENT.search(page)
        if text is None or opponent is None:
            raise RuntimeError(f"{path} has no starter, or no house bot plays yet")
        seconds = []
        for number in range(count):
            program = f"{html.unescape(text[1])}\n{COMMENTS[language]} {time.time_ns()} {number}\n"
            data = {"text": program, "language": language, "opponent": opponent[1]}
            began = time.monotonic()
            seconds.append(time_trial(browser, path, data))
            time.sleep(max(0.0, began + PAUSE - time.monotonic()))
        return seconds


def time_trial(browser: httpx.Client, path: str, data: dict[str, str]) -> float:
    headers = {
        "HX-Request": "true",
        "X-CSRFToken": browser.cookies["csrftoken"],
        "Referer": str(browser.base_url),
    }
    began = time.monotonic()
    part = browser.post(path, data=data, headers=headers).text
    while poll := NEXT.search(part):
        time.sleep(POLL)
        response = browser.get(html.unescape(poll[1]), headers=headers)
        part = part if response.status_code == 204 else response.text
    if "without a fault" not in part:
        raise RuntimeError(re.sub(r"<[^>]+>|\s+", " ", part).strip()[:300])
    return time.monotonic() - began


if __name__ == "__main__":
    main()
