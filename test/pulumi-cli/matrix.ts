import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { checkpointCutoffSizeBytes } from '../../shared/pulumi-service/session-routes.ts'
import { findFilesWith } from '../e2e/find-files-with.ts'
import { type CommandOutput, requireSuccess } from '../e2e/sandbox.ts'
import { verifyExport } from '../verifier/verify.ts'
import { buildPulumiCli, type cliVersions } from './build-cli.ts'
import { findWarnings, openStockClient } from './stock-client.ts'

/** One case of the matrix: the version of the client, the secrets and the size of a stack. */
export interface MatrixCase {
  readonly version: (typeof cliVersions)[number]
  /** The manager of the secrets. `none`: the stack has no secrets. */
  readonly secrets: 'none' | 'service' | 'passphrase'
  readonly resourceCount: number
  /** Length of a property of each resource, in characters. */
  readonly valueChars: number
  /** Whether the client sends checkpoints instead of journal entries. */
  readonly sendsCheckpoints?: boolean
  /** Whether the operations include those that take long. */
  readonly hasAllOperations?: boolean
}

const secret = 'a secret that no file contains'

const program = `'use strict'
const pulumi = require('@pulumi/pulumi')
const { Thing } = require('./gold')
const { STEP, COUNT, CHARS, SECRETS } = process.env
const config = new pulumi.Config()
const text = SECRETS !== 'none' ? config.requireSecret('text') : pulumi.output('plain')
let previous
for (let n = 0; n < Number(COUNT); n++) {
  const inputs = { value: text, large: 'x'.repeat(Number(CHARS)), step: n % 3 === 0 ? STEP : '1' }
  const options = n % 5 === 4 ? { dependsOn: [previous] } : {}
  previous = new Thing('thing-' + n, inputs, options)
}
exports.text = previous.value
`

const target = 'urn:pulumi:dev::small::gold:index:Thing::thing-0'

/**
 * Runs Pulumi's command line on one stack, from `stack init` to `stack rm`. After each update and
 * the destroy, both command lines must export the same valid state. No command prints a warning.
 */
export async function runMatrixCase(matrixCase: MatrixCase): Promise<void> {
  const { version, secrets, resourceCount, valueChars, sendsCheckpoints = false } = matrixCase
  const { hasAllOperations = false } = matrixCase
  const client = await openStockClient(buildPulumiCli(version), 'small', {
    serverEnv: sendsCheckpoints ? { ANTICHAIN_DELTA_CHECKPOINTS: 'true' } : {},
  })
  const { sandbox } = client
  const env = {
    COUNT: String(resourceCount),
    CHARS: String(valueChars),
    SECRETS: secrets,
    PULUMI_DISABLE_JOURNALING: sendsCheckpoints ? 'true' : undefined,
    PULUMI_CONFIG_PASSPHRASE: secrets === 'passphrase' ? 'open sesame' : undefined,
  }
  const run = async (command: string, step: string): Promise<CommandOutput> => {
    const args = command.split(' ')
    const result = requireSuccess(await client.pulumi(args, { ...env, STEP: step }))
    expect([command, findWarnings(result)]).toEqual([command, []])
    return result
  }
  const runPulumi = async (command: string, step = '1'): Promise<string> =>
    (await run(command, step)).out
  const expectSameStates = async (): Promise<void> => {
    const exported = await runPulumi('stack export')
    const ours = requireSuccess(await client.antichain(['stack', 'export', '-s', 'dev'])).out
    expect(JSON.parse(ours)).toEqual(JSON.parse(exported))
    const rules = { sealed: true, hasServiceCiphertext: secrets === 'service' }
    expect(verifyExport(ours, rules)).toEqual([])
  }
  const runLongOperations = async (): Promise<void> => {
    await runPulumi('up --yes --refresh --expect-no-changes', '2')
    await runPulumi('stack rename renamed')
    await runPulumi('preview --expect-no-changes -s renamed', '2')
    await runPulumi('stack rename dev -s renamed')
    await runPulumi(`destroy --yes --target ${target} --target-dependents`, '2')
    await expectSameStates()
    await runPulumi('up --yes', '2')
    await expectSameStates()
  }
  try {
    writeFileSync(join(sandbox.program, 'index.js'), program)
    const provider = secrets === 'passphrase' ? 'passphrase' : 'default'
    await runPulumi(`stack init dev --secrets-provider ${provider}`)
    if (secrets !== 'none')
      requireSuccess(await client.pulumi(['config', 'set', '--secret', 'text', secret], env))
    await runPulumi('up --yes --skip-preview')
    expect(sandbox.listObjects()).toHaveLength(resourceCount)
    await expectSameStates()
    const { err: calls } = await run('up --yes --skip-preview --logtostderr -v=10', '2')
    if (sendsCheckpoints && resourceCount * valueChars > checkpointCutoffSizeBytes)
      expect(calls).toContain('/checkpointdelta): 200')
    await expectSameStates()
    if (hasAllOperations) await runLongOperations()
    await runPulumi('refresh --yes --skip-preview --expect-no-changes', '2')
    await runPulumi('stack export --file state.json')
    await runPulumi('stack import --file state.json')
    await runPulumi('preview --expect-no-changes', '2')
    const text = await runPulumi('stack output text --show-secrets')
    expect(text.trim()).toBe(secrets === 'none' ? 'plain' : secret)
    await runPulumi('destroy --yes --skip-preview', '2')
    expect(sandbox.listObjects()).toEqual([])
    await expectSameStates()
    await runPulumi('stack rm --yes dev')
    expect(findFilesWith(sandbox.home, secret)).toEqual([])
  } finally {
    await client.remove()
  }
}
