"""The cache of a site that has a Redis. Apart from `cache.py`: other sites need not import the client."""

from django.core.cache.backends.redis import RedisCache
from redis.exceptions import RedisError

from agon.site.core.cache import Patient
from agon.site.core.cache_values import Unreadable


class PatientRedis(Patient, RedisCache):
    """Redis."""

    failures = (RedisError, OSError, Unreadable)
