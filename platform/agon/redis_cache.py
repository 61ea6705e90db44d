"""The cache of a site that has a Redis. Apart from `agon.cache`: other sites need not import the client."""

from django.core.cache.backends.redis import RedisCache
from redis.exceptions import RedisError

from agon.cache import Patient
from agon.cache_values import Unreadable


class PatientRedis(Patient, RedisCache):
    """Redis."""

    failures = (RedisError, OSError, Unreadable)
