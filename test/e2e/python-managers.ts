import { join } from 'node:path'
import { createVirtualEnvironment } from './toolchains.ts'

/** Installs uv and poetry with pip, once per machine and version. Returns the folder of commands. */
export function installPythonManagers(): string {
  const folder = join(import.meta.dirname, '../fixtures/programs/python-managers')
  return join(createVirtualEnvironment(join(folder, 'requirements.txt')), 'bin')
}

/**
 * Returns the `pyproject.toml` of a program that requires one package. Poetry reads the packages of
 * PyPI from its simple index, as pip does.
 */
export function createPythonManifest(requirement: string): string {
  return `[project]
name = "program"
version = "0.1.0"
requires-python = ">=3.10"
dependencies = ["${requirement}"]

[tool.poetry]
package-mode = false

[[tool.poetry.source]]
name = "index"
url = "https://pypi.org/simple/"
priority = "primary"
`
}
