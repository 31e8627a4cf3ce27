import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { benchResultsForm } from '../all/results-form.ts'
import { repositoryRoot } from '../engine.ts'
import { medianOfNumbers } from '../median.ts'
import { awsAssumptions } from './assumptions.ts'

const text = readFileSync(join(repositoryRoot, 'docs/measured/all.json'), 'utf8')
const results = benchResultsForm.parse(JSON.parse(text))

function measurementOf(name: string, phase: string) {
  const line = results.lines.find(found => found.name === name)
  const measurement = line?.phases[phase]?.['antichain']
  if (measurement === undefined) throw new Error(`docs/measured/all.json has no '${name}'`)
  return measurement
}

/** Returns the processor time of a resource in ms, with 10,000 resources of the Go program. */
function cpuMsOf(phase: string): number {
  return medianOfNumbers(measurementOf('10,000 resources, Go', phase).cpuSeconds) / 10
}

const { peakMib } = measurementOf('10,000 resources, Go', 'create')
const largePeakMib = measurementOf('100,000 resources, Go', 'create').peakMib
// The two runs differ by 90,000 resources.
const kibPerResource = ((largePeakMib - peakMib) * 1_024) / 90_000

test.each([
  ['generatorCpuCreate', cpuMsOf('create')],
  ['generatorCpuDelete', cpuMsOf('destroy')],
  ['executorCpu', cpuMsOf('create') - cpuMsOf('no-op')],
  ['memoryPerResource', kibPerResource],
  ['memoryBase', peakMib - (10_000 * kibPerResource) / 1_024],
] as const)(
  'the assumption %s is 0.5 to 1.5 times the value of its measured source',
  (name, measured) => {
    const { value, source } = awsAssumptions[name]
    expect(source).toContain('docs/measured/all.json')
    expect(value / measured).toBeGreaterThan(0.5)
    expect(value / measured).toBeLessThan(1.5)
  },
)
