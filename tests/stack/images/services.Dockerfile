# Stands in for postgres:15, redis:7 and caddy:2 where no registry can be reached. Of the first it has the variables,
# the path, the entrypoint and the steps of the first start that the compose files rely on; of the last, the file capability.
ARG BASE
FROM ${BASE}
RUN mkdir /etc/postgresql-common \
 && echo "create_main_cluster = false" > /etc/postgresql-common/createcluster.conf \
 && apt-get update -qq \
 && apt-get install -qq --yes --no-install-recommends postgresql-15 redis-server \
 && rm -rf /var/lib/apt/lists/* /var/cache/apt/archives/*.deb \
 && install --directory --owner postgres --group postgres --mode 3777 /run/postgresql \
 && install --directory --owner postgres --group postgres --mode 700 /var/lib/postgresql/data
RUN apt-get update -qq \
 && apt-get install -qq --yes --no-install-recommends caddy libcap2-bin wget \
 && rm -rf /var/lib/apt/lists/* /var/cache/apt/archives/*.deb \
 && setcap cap_net_bind_service=+ep /usr/bin/caddy
COPY docker-entrypoint.sh /usr/local/bin/
ENV PATH=/usr/lib/postgresql/15/bin:/usr/local/bin:/usr/bin:/bin PGDATA=/var/lib/postgresql/data LANG=C.UTF-8
ENTRYPOINT ["docker-entrypoint.sh"]
CMD ["postgres"]
