import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { describeWithCommands } from '../../e2e/toolchains.ts'
import { buildTofu } from '../../providers/terraform/build-tofu.ts'

/** A compilation of all modules of OpenTofu takes long. */
const buildMs = 2_400_000
const testMs = 600_000
const runner = join(import.meta.dirname, '../../tfgolden/run.mjs')
/** Cases with every kind of change, data sources, drift, and dependent resources. */
const cases = 'create-update-destroy,data-source,dependency-chain,refresh-drift,replace'
const allPassed = /^5 passed, 0 failed$/m

function runCases(args: readonly string[]): string {
  const nodeArgs = [runner, '--only', cases, '--jobs', '2', ...args]
  const { stdout, stderr } = spawnSync(process.execPath, nodeArgs, { encoding: 'utf8' })
  return stdout + stderr
}

/**
 * Both tests compare with the same records: the calls of the provider, the state and its
 * attributes, and the objects. The first one fails where the records are not those of the real
 * OpenTofu.
 */
describeWithCommands('OpenTofu and Antichain with the same provider', [['go', 'version']], () => {
  let tofu: string
  beforeAll(() => {
    tofu = buildTofu()
  }, buildMs)

  test(
    'OpenTofu, built from its module, makes the recorded calls',
    () => {
      expect(runCases(['--self', '--tofu', tofu])).toMatch(allPassed)
    },
    testMs,
  )

  test(
    'Antichain makes the same calls, and has the same attributes',
    () => {
      expect(runCases([])).toMatch(allPassed)
    },
    testMs,
  )
})
