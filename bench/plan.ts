/**
 * Plans a deployment on AWS: time, concurrency, requests, cost, and the limit that binds first. The
 * requests follow from runs of the real handlers on models of DynamoDB and S3. The pace follows
 * from the limits of AWS in bench/plan/assumptions.ts. `--seconds` is the duration of a provider
 * call, and `--executors` the setting executorsMax. `--assumptions` only prints the assumptions,
 * and `--calibrate` only compares the model with docs/measured/cost.json. Usage:
 * `node bench/plan.ts [--resources 1000000] [--shape flat|layers|chain|hub] [--seconds 1]
 * [--parallel 1000] [--executors 100] [--assumptions] [--calibrate] [--json]`
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { measuredRunForm } from './cost/measured-forms.ts'
import { repositoryRoot } from './engine.ts'
import { awsAssumptions } from './plan/assumptions.ts'
import { calibrate } from './plan/calibrate.ts'
import { type CapacityPlan, planCapacity } from './plan/capacity-model.ts'
import { measureCoefficients } from './plan/coefficients.ts'
import type { PlannedDeployment } from './plan/planned-deployment.ts'
import { type ShapeName, shapeNames, shapeWavesOf } from './plan/shapes.ts'

const { values } = parseArgs({
  options: {
    resources: { type: 'string', default: '1000000' },
    shape: { type: 'string', default: 'flat' },
    seconds: { type: 'string', default: '1' },
    parallel: { type: 'string', default: '1000' },
    executors: { type: 'string', default: '100' },
    assumptions: { type: 'boolean', default: false },
    calibrate: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
})

/** Returns the number of an option. Throws for a text that is not a positive number. */
function readNumber(name: 'resources' | 'seconds' | 'parallel' | 'executors'): number {
  const number = Number(values[name])
  if (Number.isFinite(number) && number > 0) return number
  throw new Error(`--${name}: '${values[name]}' is not a positive number`)
}

function readShape(): ShapeName {
  const shape = shapeNames.find(name => name === values.shape)
  if (shape !== undefined) return shape
  throw new Error(`--shape: '${values.shape}' is none of ${shapeNames.join(', ')}`)
}

async function main(): Promise<void> {
  if (values.assumptions) return printAssumptions()
  const shape = values.calibrate ? 'flat' : readShape()
  console.error(`· running the handlers on models with resources of the shape ${shape}`)
  const coefficients = await measureCoefficients(shape)
  if (values.calibrate) {
    const text = readFileSync(join(repositoryRoot, 'docs/measured/cost.json'), 'utf8')
    const result = calibrate(measuredRunForm.parse(JSON.parse(text)), coefficients, awsAssumptions)
    console.log(JSON.stringify(result, undefined, 2))
    return
  }
  for (const command of ['create', 'delete'] as const) {
    const resources = readNumber('resources')
    const deployment: PlannedDeployment = {
      command,
      resources,
      waves: shapeWavesOf(shape, resources),
      callSeconds: readNumber('seconds'),
      parallel: readNumber('parallel'),
      executorsMax: readNumber('executors'),
    }
    printPlan(deployment, planCapacity(deployment, coefficients[command], awsAssumptions))
  }
}

function printAssumptions(): void {
  for (const [name, { value, unit, source }] of Object.entries(awsAssumptions))
    console.log(`${name}: ${value} ${unit} (${source})`)
}

function printPlan(deployment: PlannedDeployment, plan: CapacityPlan): void {
  const { command, resources, callSeconds, parallel } = deployment
  if (values.json) {
    console.log(JSON.stringify({ command, resources, callSeconds, parallel, ...plan }))
    return
  }
  const title = `${command} of ${format(resources)} resources, ${values.shape}`
  console.log(`${title}, calls of ${callSeconds} s, ${parallel} in parallel`)
  const { writeUnits, readUnits, messages, puts, gets } = plan.requests
  const times = plan.bindingSeconds.map(([limit, seconds]) => `${limit} ${format(seconds)} s`)
  const operations = `${format(plan.peakOperations)} operations`
  const rows: readonly (readonly [name: string, text: string])[] = [
    ['wall time', `${format(plan.wallSeconds)} s`],
    ['at the same time', `${operations} in ${format(plan.peakFunctions)} functions`],
    ['DynamoDB', `${format(writeUnits)} write units, ${format(readUnits)} read units`],
    ['S3', `${format(puts)} puts, ${format(gets)} gets`],
    ['SQS', `${format(messages)} messages`],
    ['Lambda', `${format(plan.functionCalls)} calls, ${format(plan.coldStarts)} cold starts`],
    ['cost', `$${plan.cost.toFixed(4)}`],
    ['first limit', plan.firstLimit],
    ['time by limit', times.join(', ')],
    ...plan.exceeded.map(text => ['exceeded', text] as const),
  ]
  for (const [name, text] of rows) console.log(`  ${name.padEnd(16)} ${text}`)
}

function format(number: number): string {
  return Math.round(number).toLocaleString('en-US')
}

await main().catch((thrown: unknown) => {
  console.error(thrown instanceof Error ? thrown.message : thrown)
  process.exitCode = 2
})
// The models of the run have open timers, which would keep the process alive.
process.exit()
