"""The scale of published ratings, like Elo's, and how wide an interval of 95 % is.

Apart from what computes them: numpy takes longer to import than a command or a site needs for much else.
"""

import math
from statistics import NormalDist

CENTER = 1500.0  # the mean rating of the anchors
POINTS = 400 / math.log(10)  # a natural unit; 400 points are odds of ten to one, as with Elo's
WIDTH = NormalDist().inv_cdf(0.975)  # half a 95 % interval, in standard errors
