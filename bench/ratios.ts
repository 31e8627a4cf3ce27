/**
 * Records the ratios that the full tier of the tests checks: Pulumi's processor time divided by
 * Antichain's, for each command. Builds Pulumi's command line with Go. Writes
 * docs/measured/ratios.json. `node bench/ratios.ts [--repetitions 5]`
 */
import { writeFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { delimiter, join } from 'node:path'
import { parseArgs } from 'node:util'
import { buildPulumiCli, cliVersions } from '../test/pulumi-cli/build-cli.ts'
import { formatCurrentDate, describeMachine } from './cost/measurement-context.ts'
import { repositoryRoot } from './engine.ts'
import { medianOfNumbers } from './median.ts'
import { type EngineRatios, measureRatios, ratioPhases } from './ratios/measure-ratios.ts'
import type { RecordedRatios } from './ratios/ratios-form.ts'

const { values } = parseArgs({ options: { repetitions: { type: 'string', default: '5' } } })
const repetitions = Number(values.repetitions)
const [pulumi] = cliVersions
// Pulumi's command line finds the language host of Node on PATH.
const languageHostFolder = join(repositoryRoot, 'test', 'pulumi-cli', 'hosts')
process.env['PATH'] = [languageHostFolder, process.env['PATH'] ?? ''].join(delimiter)

const rounds: EngineRatios[] = []
for (let round = 0; round < repetitions; round += 1) {
  rounds.push(await measureRatios(buildPulumiCli(pulumi)))
  console.error(`· ${JSON.stringify(rounds.at(-1))}`)
}
const medianOfPhase = (phase: keyof EngineRatios): number =>
  Math.round(medianOfNumbers(rounds.map(ratios => ratios[phase])) * 100) / 100
const recorded: RecordedRatios = {
  date: formatCurrentDate(),
  machine: describeMachine(),
  node: process.versions.node,
  pulumi,
  repetitions,
  load: Math.round(loadavg()[0] ?? 0),
  ratios: Object.fromEntries(
    ratioPhases.map(phase => [phase, medianOfPhase(phase)]),
  ) as RecordedRatios['ratios'],
}
const text = `${JSON.stringify(recorded, undefined, 2)}\n`
writeFileSync(join(repositoryRoot, 'docs/measured/ratios.json'), text)
process.stdout.write(text)
