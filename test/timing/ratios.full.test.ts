/**
 * The ratios of processor time between Pulumi's engine and this one must not get worse by more than
 * a fifth (docs/benchmarks.md). Times themselves are not checked, because they depend on the
 * machine.
 */
import { readFileSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type EngineRatios, measureRatios, ratioPhases } from '../../bench/ratios/measure-ratios.ts'
import { recordedRatiosForm } from '../../bench/ratios/ratios-form.ts'
import { buildPulumiCli, cliVersions } from '../pulumi-cli/build-cli.ts'
import { describeWithCommands } from '../e2e/toolchains.ts'

const root = resolve(import.meta.dirname, '../..')
const minFraction = 0.8
/** Other work on the machine disturbs a round, so the best of some rounds counts. */
const roundsMax = 4

/** Returns the commands whose ratio is lower than the recorded one allows. */
function listWorsePhases(ratios: EngineRatios, recorded: EngineRatios): readonly string[] {
  return ratioPhases
    .filter(phase => ratios[phase] < minFraction * recorded[phase])
    .map(phase => `${phase}: ${ratios[phase].toFixed(2)} instead of ${recorded[phase]}`)
}

const bestOf = (one: EngineRatios, other: EngineRatios): EngineRatios =>
  Object.fromEntries(
    ratioPhases.map(phase => [phase, Math.max(one[phase], other[phase])]),
  ) as EngineRatios

describeWithCommands('ratios of processor time', [['go', 'version']], () => {
  const path = process.env['PATH']
  beforeAll(() => {
    process.env['PATH'] = [join(root, 'test/pulumi-cli/hosts'), path ?? ''].join(delimiter)
  })
  afterAll(() => {
    process.env['PATH'] = path
  })

  test('the ratio of each command is at most a fifth lower than the recorded one', async () => {
    const text = readFileSync(join(root, 'docs/measured/ratios.json'), 'utf8')
    const { ratios: recorded } = recordedRatiosForm.parse(JSON.parse(text))
    const command = buildPulumiCli(cliVersions[0])
    let best = await measureRatios(command)
    for (let round = 1; round < roundsMax && listWorsePhases(best, recorded).length > 0; round += 1)
      best = bestOf(best, await measureRatios(command))
    expect(listWorsePhases(best, recorded)).toEqual([])
  })
})
