import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { type CliBench, createCliBench } from '../cli/cli-bench.ts'
import { sdkFolder } from './plugin-rig.ts'

const project = resolve(import.meta.dirname, '../../..')
const gold = join(project, 'test/golden/provider/pulumi-resource-gold')
const plugins = join(project, 'test/fixtures/plugins')

const inputs = {
  'gold:index:Thing': [
    { value: 'v', tag: 't' },
    { value: 'w', tag: 'u', replace: 1 },
  ],
}

interface JsonReport {
  readonly summary: { readonly passed: number }
  readonly contracts: readonly { readonly id: string; readonly result: string }[]
}

describe('provider check of a plugin of Pulumi', () => {
  let bench: CliBench
  beforeEach(() => {
    bench = createCliBench()
    mkdirSync(join(bench.root, 'cloud'))
    Object.assign(bench.env, {
      PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
      HOME: bench.root,
      GOLD_NODE_PATH: join(sdkFolder, 'node_modules'),
      PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: 'true',
    })
    bench.write('inputs.json', JSON.stringify(inputs))
  })

  const run = (plugin: string, ...options: readonly string[]) =>
    bench.run(
      ...['provider', 'check', plugin, '--yes', '--config', 'inputs.json', ...options],
      ...['--env', `GOLD_CLOUD=${join(bench.root, 'cloud')}`],
    )

  const listFailures = (out: string): readonly string[] =>
    (JSON.parse(out) as JsonReport).contracts
      .filter(({ result }) => result === 'failed')
      .map(({ id }) => id)

  test('passes a healthy provider, and writes the report as text and JUnit', async () => {
    const { exit, out } = await run(gold, '--junit', 'report.xml')
    expect(out).toContain('Provider gold (Pulumi protocol, version 1.0.0)')
    expect(out).toMatch(/\n {2}ok {6}create {2,}the creation succeeds/)
    expect(out).toMatch(/36 passed, 0 failed, 0 warnings, 0 skipped, 3 not applicable, in \d/)
    expect(exit).toBe(0)
    expect(bench.read('report.xml')).toMatch(
      /<testsuite name="gold:index:Thing" tests="31" failures="0" skipped="3"/,
    )
    expect(readdirSync(join(bench.root, 'cloud/objects'))).toEqual([])
  })

  test('passes a provider without handshake, secrets or detailed diffs', async () => {
    bench.write('inputs.json', JSON.stringify(inputs).replace('gold:', 'goldold:'))
    const { exit, out } = await run(join(dirname(gold), 'pulumi-resource-goldold'), '--json')
    expect(listFailures(out)).toEqual([])
    expect(exit).toBe(0)
  })

  test.each([
    ['read:check', 'read'],
    ['diff:check', 'settled-after-create'],
    ['create:check', 'create'],
    ['partial-create:check', 'create'],
    ['update:check', 'update'],
    ['delete:check', 'delete'],
  ])('finds the contract that the fault %s violates, and cleans up', async (fault, id) => {
    bench.write('cloud/faults.json', JSON.stringify({ [fault]: 1 }))
    const { exit, out } = await run(gold, '--json')
    expect(listFailures(out)).toEqual([id])
    expect(exit).toBe(1)
    const objects = join(bench.root, 'cloud/objects')
    expect(existsSync(objects) ? readdirSync(objects) : []).toEqual([])
  })

  test.each([
    ['no-id', ['create']],
    ['dies-in-create', ['preview-create']],
    ['dies-in-check', ['unknown-type', 'check-accepts']],
    ['malformed-inputs', ['check-accepts']],
    ['malformed-outputs', ['preview-create']],
    ['dies-in-handshake', ['handshake']],
    ['no-number', ['handshake']],
  ])('finds the defect of the plugin %s', async (name, ids) => {
    bench.write('inputs.json', JSON.stringify({ 'x:index:Thing': { value: 'v' } }))
    const { exit, out } = await run(join(plugins, `pulumi-resource-${name}`), '--json')
    expect(listFailures(out)).toEqual(ids)
    expect(exit).toBe(1)
  })

  test('limits the time of a call', async () => {
    bench.write('cloud/faults.json', JSON.stringify({ 'hang-create:check': 1 }))
    const { out } = await run(gold, '--timeout', '1s')
    expect(out).toContain('the provider did not return from Create within 1 s')
    expect(out).toContain('The object may exist')
  })

  test('needs --yes without a terminal', async () => {
    const { err, exit } = await bench.run('provider', 'check', gold)
    expect(err).toContain('--yes must be passed in')
    expect(exit).toBe(1)
  })

  test('has the codes of other commands for a declined check and an unwritable report', async () => {
    bench.isTerminal = true
    bench.answers.push('no')
    const declined = await bench.run('provider', 'check', gold)
    expect(declined.err).toContain('CONFIRMATION_DECLINED')
    bench.isTerminal = false
    const { err } = await run(gold, '--junit', 'missing/report.xml')
    expect(err).toContain('FILE_UNWRITABLE')
  })

  test.each([
    ['a plugin that is not installed', ['nope'], /PLUGIN_MISSING.*pulumi-resource-nope/],
    ['a path without a file', ['./nope'], /CLI_USAGE.*no provider at/],
    ['a file with another name', [process.execPath], /must be named pulumi-resource-NAME/],
    ['a variable without a value', [gold, '--env', 'x'], /--env takes NAME=VALUE, not 'x'/],
    [
      'a configuration file that does not exist',
      [gold, '--config', 'no.json'],
      /cannot read --config/,
    ],
    [
      'a configuration of another form',
      [gold, '--config', 'bad.json'],
      /must be a JSON object of the form/,
    ],
    [
      'a configuration with a malformed value',
      [gold, '--config', 'odd.json'],
      /odd.json has an invalid value/,
    ],
    ['an unknown protocol', [gold, '--protocol', 'x'], /Allowed choices are pulumi, terraform/],
  ])('refuses %s', async (_, operands, message) => {
    bench.write('bad.json', '{"x": 1}')
    bench.write('odd.json', '{"x": {"a": {"4dabf18193072939515e22adb298388d": "none"}}}')
    const { err, exit } = await bench.run('provider', 'check', ...operands, '--yes')
    expect(err).toMatch(message)
    expect(exit).not.toBe(0)
  })
})
