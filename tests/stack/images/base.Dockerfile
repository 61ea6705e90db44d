# The base of all images of the test: Debian, and how this machine gets packages.
ARG DEBIAN
FROM ${DEBIAN}
ARG PIP_INDEX_URL=
COPY certificates.crt /etc/agon-test/certificates.crt
ENV PIP_CERT=/etc/agon-test/certificates.crt PIP_INDEX_URL=${PIP_INDEX_URL}
