"""A project of Maven, built in the sandbox with the plugins that Debian packages: there is no network."""

import shutil
from contextlib import closing
from pathlib import Path

import pytest

from sandbox.api import Limits, Line, Sandbox
from sandbox.boxes.channel import await_lines
from sandbox.building.build import Built, build
from sandbox.uploads.accept import read_upload
from tests.support.archives import make_zip
from tests.support.boxes import one_backend

PLUGINS = Path("/usr/share/maven-repo/org/apache/maven/plugins")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.languages,
    one_backend,
    pytest.mark.skipif(
        not shutil.which("mvn") or not (PLUGINS / "maven-compiler-plugin").is_dir(),
        reason="needs maven, libmaven-compiler-plugin-java, libmaven-resources-plugin-java and junit5",
    ),
]

POM = b"""<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>org.example</groupId>
  <artifactId>bot</artifactId>
  <version>1</version>
  <properties>
    <maven.compiler.source>17</maven.compiler.source>
    <maven.compiler.target>17</maven.compiler.target>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <build>
    <plugins>
      <plugin><artifactId>maven-resources-plugin</artifactId><version>3.3.0</version></plugin>
      <plugin><artifactId>maven-compiler-plugin</artifactId><version>3.10.1</version></plugin>
    </plugins>
  </build>
</project>
"""
MAIN = b"""package org.example;

public class Bot {
    public static void main(String[] args) {
        System.out.println(Words.first());
    }
}
"""
WORDS = (
    b'package org.example;\n\nclass Words {\n    static String first() {\n        return "READY";\n    }\n}\n'
)


def built(maven: str, sandbox: Sandbox, store: Path) -> Built:
    files = {
        "pom.xml": POM,
        "src/main/java/org/example/Bot.java": MAIN,
        "src/main/java/org/example/Words.java": WORDS,
        "bot.toml": f'build = "{maven}"\nrun = "java -cp target/classes org.example.Bot"\n'.encode(),
    }
    return build(read_upload("a.zip", make_zip(files)), sandbox, store)


def test_a_project_of_maven_is_built_and_runs(sandbox: Sandbox, tmp_path: Path) -> None:
    offline = "mvn -o -q -B -Dmaven.repo.local=/usr/share/maven-repo compile"
    result = built(offline, sandbox, tmp_path / "store")
    assert result.artifact is not None, result.log
    with closing(sandbox.open(result.artifact, Limits())) as box, closing(box.session()) as session:
        said = await_lines({0: (session.start(), 60.0)})[0]
        session.close()
    assert isinstance(said, Line), said
    assert said.text.strip() == b"READY"


def test_maven_that_looks_for_plugins_on_the_network_is_told_that_there_is_none(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    result = built("mvn -B compile", sandbox, tmp_path / "store")
    assert (result.artifact, result.reason.code) == (None, "build_without_network")
