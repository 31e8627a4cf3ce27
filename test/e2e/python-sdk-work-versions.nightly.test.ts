import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'vitest'
import { expectSameResults } from './python-sdk-work.ts'
import { createVirtualEnvironment, describeWithCommands } from './toolchains.ts'

/** Creates a virtual environment with a version of the SDK. */
function installPythonSdk(version: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'antichain-requirements-'))
  try {
    const requirements = join(folder, 'requirements.txt')
    writeFileSync(requirements, `pulumi==${version}\n`)
    return createVirtualEnvironment(requirements)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

describeWithCommands(
  'the reduced work of older Python SDKs',
  [['python3', '-m', 'venv', '--help']],
  () => {
    test.each(['3.100.0', '3.150.0', '3.200.0', '3.239.0', '3.272.0'])(
      'changes no result of a program with the SDK %s',
      version => expectSameResults(installPythonSdk(version)),
      900_000,
    )
  },
)
