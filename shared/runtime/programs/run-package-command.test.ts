import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { programLimits } from '../../config/program-limits.ts'
import { createSystemClock } from '../../platform/system/clock.ts'
import { createProcesses } from '../../platform/system/processes.ts'
import { explainRegistryRefusal } from './registries/explain-registry-refusal.ts'
import { runPackageManager } from './run-package-command.ts'

test('a package manager that does not end in time is killed, and the error names the limit', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'packages-'))
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }))
  const processes = createProcesses()
  onTestFinished(() => processes.close())
  const deps = {
    processes,
    clock: { ...createSystemClock(), sleep: async () => undefined },
    scratch: cwd,
    env: { PATH: '/usr/bin:/bin' },
  }
  const minutes = programLimits.installTimeoutMs / 60_000
  const command = { command: '/bin/sh', args: ['-c', 'sleep 600'], cwd }
  await expect(runPackageManager(deps, command)).rejects.toMatchObject({
    code: 'INSTALL_FAILED',
    message: `\`sh -c sleep 600\` did not finish within ${minutes} minutes`,
  })
})

test('an explained refusal keeps the last lines of the output, because another failure may have followed', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'packages-'))
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }))
  const script =
    'echo "404 Client Error: x for url: https://pip.test/simple/dep/ - skipping"; echo "gcc failed" >&2; exit 1'
  const processes = createProcesses()
  onTestFinished(() => processes.close())
  const deps = {
    processes,
    clock: createSystemClock(),
    scratch: cwd,
    env: { PATH: '/usr/bin:/bin' },
  }
  await expect(
    runPackageManager(deps, {
      command: '/bin/sh',
      args: ['-c', script],
      cwd,
      hiddenOutput: 'stdout',
      explainFailure: output => explainRegistryRefusal(output, 'pip', []),
    }),
  ).rejects.toMatchObject({
    code: 'INSTALL_FAILED',
    message: expect.stringMatching(/answered with status 404 .*:\ngcc failed$/s),
  })
})
