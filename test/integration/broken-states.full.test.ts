import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseEnvelope, printEnvelope } from '../../shared/state/snapshot-codec.ts'
import type { StoredDeployment } from '../../shared/state/stored.ts'
import { readRecordedState, recordedPassphrase } from '../recorded-states.ts'
import { verifyExport } from '../verifier/verify.ts'
import { type CommandBench, createCommandBench } from './backends/command-bench.ts'
import { applyDamage, fatalDamages, repairableDamages, unreadableDamages } from './damage-state.ts'

const goodText = readRecordedState('3.274.1/options.state')

let bench: CommandBench
let good: StoredDeployment
const run = async (...args: readonly string[]): Promise<string> => {
  const { exit, out, err } = await bench.run(...args, '-s', 'dev')
  return `${exit}\n${out}${err}`
}
const exportState = async (): Promise<string> => (await run('stack', 'export')).slice(2)

beforeAll(async () => {
  bench = createCommandBench()
  bench.env['PULUMI_CONFIG_PASSPHRASE'] = recordedPassphrase
  writeFileSync(join(bench.root, 'Pulumi.yaml'), 'name: golden\nruntime: nodejs\n')
  const salt = /"salt": "([^"]*)"/.exec(goodText)?.[1] ?? ''
  writeFileSync(join(bench.root, 'Pulumi.dev.yaml'), `encryptionsalt: ${salt}\n`)
  writeFileSync(join(bench.root, 'good.json'), goodText)
  const { deployment } = await parseEnvelope(goodText)
  if (deployment === null) throw new Error('the state has no deployment')
  good = deployment
  await run('stack', 'init')
})
afterAll(() => rmSync(bench.root, { recursive: true, force: true }))

/** Imports the undamaged state, and writes a file with the damage. Returns the damaged URN. */
async function writeDamaged(damage: (typeof fatalDamages)[number]): Promise<string> {
  expect(await run('stack', 'import', '--file', 'good.json')).toMatch(/^0\n/)
  const result = applyDamage(good, damage)
  if (result === undefined) throw new Error('the state has no resource of a provider')
  const { damaged, urn } = result
  const envelope = { ...(await parseEnvelope(goodText)), deployment: damaged }
  writeFileSync(join(bench.root, 'damaged.json'), await printEnvelope(envelope))
  return urn
}

const importArgs = ['stack', 'import', '--file', 'damaged.json']

/** Expects that an import is refused without --force. Then imports the damaged state with it. */
async function importDamaged(damage: (typeof fatalDamages)[number]): Promise<string> {
  const urn = await writeDamaged(damage)
  const refusal = await run(...importArgs)
  expect(refusal).toMatch(/^1\nerror\[STATE_INTEGRITY\]: /)
  expect(refusal).toContain(urn)
  expect(await exportState()).toBe(goodText)
  const imported = await run(...importArgs, '--force')
  expect(imported).toMatch(/^0\n/)
  expect(imported).toContain(urn)
  return urn
}

test.each(repairableDamages)(
  'stack import refuses a state with $kind, and state repair repairs it after a forced import',
  async damage => {
    await importDamaged(damage)
    expect(await run('state', 'repair', '--yes')).toMatch(/^0\n/)
    expect(verifyExport(await exportState(), { sealed: true })).toEqual([])
    expect(await run('state', 'repair', '--yes')).toMatch(/^0\n.*already valid/)
  },
)

test.each(fatalDamages)(
  'stack import and state repair refuse a state with $kind, and name the resource',
  async damage => {
    const urn = await importDamaged(damage)
    const before = await exportState()
    const refusal = await run('state', 'repair', '--yes')
    expect(refusal).toMatch(/^1\nerror\[STATE_INTEGRITY\]: /)
    expect(refusal).toContain(urn)
    expect(await exportState()).toBe(before)
  },
)

test.each(unreadableDamages)(
  'stack import refuses a state with $kind even with --force, and names the resource',
  async damage => {
    const urn = await writeDamaged(damage)
    for (const force of [[], ['--force']]) {
      const refusal = await run(...importArgs, ...force)
      expect(refusal).toMatch(/^1\nerror\[STATE_INVALID\]: /)
      expect(refusal).toContain(urn.replace(/::.*/, ''))
    }
    expect(await exportState()).toBe(goodText)
  },
)
