import { rmSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createPythonManifest, installPythonManagers } from './python-managers.ts'
import { createSandbox, requireSuccess, type Sandbox } from './sandbox.ts'
import { describeWithCommands } from './toolchains.ts'

const slowMs = 900_000

let sandbox: Sandbox
let env: Record<string, string>
afterEach(() => sandbox.remove())

describeWithCommands('a program in Python', [['python3', '-m', 'venv', '--help']], () => {
  beforeEach(() => {
    const bin = installPythonManagers()
    sandbox = createSandbox('python')
    rmSync(join(sandbox.program, 'requirements.txt'))
    writeFileSync(join(sandbox.program, 'pyproject.toml'), createPythonManifest('pulumi==3.270.0'))
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
