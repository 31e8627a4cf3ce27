import { rmSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createSandbox, requireSuccess, type Sandbox } from './sandbox.ts'
import { createVirtualEnvironment, describeWithCommands } from './toolchains.ts'

const tools = join(import.meta.dirname, '../fixtures/programs/python-managers/requirements.txt')
const slowMs = 900_000

let sandbox: Sandbox
let env: Record<string, string>
afterEach(() => sandbox.remove())

/** Poetry reads the packages of PyPI from its simple index, as pip does. */
const manifest = `[project]
name = "program"
version = "0.1.0"
requires-python = ">=3.10"
dependencies = ["pulumi==3.270.0"]

[tool.poetry]
package-mode = false

[[tool.poetry.source]]
name = "index"
url = "https://pypi.org/simple/"
priority = "primary"
`

describeWithCommands('a program in Python', [['python3', '-m', 'venv', '--help']], () => {
  beforeEach(() => {
    const bin = join(createVirtualEnvironment(tools), 'bin')
    sandbox = createSandbox('python')
    rmSync(join(sandbox.program, 'requirements.txt'))
    writeFileSync(join(sandbox.program, 'pyproject.toml'), manifest)
    env = { PATH: [sandbox.createEnvironment()['PATH'], bin].join(delimiter) }
  }, slowMs)

  for (const tool of ['uv', 'poetry'])
    test(
      `with the toolchain ${tool} is installed, creates objects of a dynamic provider, and destroys them`,
      async () => {
        const project = `name: languages\nruntime: {name: python, options: {toolchain: ${tool}}}\n`
        writeFileSync(join(sandbox.program, 'Pulumi.yaml'), project)
        const run = async (...args: string[]) => requireSuccess(await sandbox.run(args, { env }))
        await run('install')
        await run('stack', 'init', 'dev')
        await run('config', 'set', '--secret', 'password', 'swordfish', '-s', 'dev')
        await run('config', 'set', 'step', '1', '-s', 'dev')
        await run('up', '--yes', '--skip-preview', '-s', 'dev')
        expect(
          sandbox
            .listObjects()
            .map(({ id }) => id)
            .sort(),
        ).toEqual(['extra-1', 'g-first-1', 'g-second-1'])
        await run('destroy', '--yes', '--skip-preview', '-s', 'dev')
        expect(sandbox.listObjects()).toEqual([])
      },
      slowMs,
    )
})
