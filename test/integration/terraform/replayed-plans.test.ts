import { readFileSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { proposeNew } from '../../../shared/providers/terraform/plan/proposed-new.ts'
import { areEqualRaw } from '../../../shared/providers/terraform/values/raw-equality.ts'
import {
  type BlockSchema,
  impliedTypeOf,
} from '../../../shared/providers/terraform/values/schema.ts'
import { type RecordedBlock, readRecordedBlock } from './recorded-schema.ts'
import { type RecordedValue, readRecordedValue } from './recorded-value.ts'

const tfgoldenFolder = resolve(import.meta.dirname, '../../tfgolden')
/** The folder of cases. Each has the calls that OpenTofu made when the case was recorded. */
const casesFolder = join(tfgoldenFolder, 'cases')

interface RecordedPlan {
  readonly rpc: string
  readonly type: string
  readonly key: string
  readonly req: Readonly<Record<'config' | 'prior_state' | 'proposed_new_state', RecordedValue>>
}

interface RecordedStep {
  readonly env?: Readonly<Record<string, string>>
}

const readJson = <T>(...path: string[]): T => JSON.parse(readFileSync(join(...path), 'utf8')) as T

const blocks = new Map(
  Object.values(
    readJson<Record<string, { resource_schemas: Record<string, { block: RecordedBlock }> }>>(
      tfgoldenFolder,
      'provider',
      'schema.json',
    ),
  ).flatMap(({ resource_schemas: schemas }) =>
    Object.entries(schemas).map(([type, { block }]) => [type, readRecordedBlock(block)] as const),
  ),
)

/**
 * Lists the plans of a case. The plan of a delete is left out, because its proposal is always null.
 * So are the steps in which the provider has an older schema.
 */
function listPlans(name: string): readonly RecordedPlan[] {
  const { steps } = readJson<{ steps: readonly RecordedStep[] }>(casesFolder, name, 'case.json')
  return steps.flatMap(({ env }, index) => {
    if (env?.['TFGOLD_SCHEMA'] !== undefined) return []
    const file = `${String(index + 1).padStart(2, '0')}.json`
    const { calls } = readJson<{ calls: readonly RecordedPlan[] }>(
      casesFolder,
      name,
      'expected',
      file,
    )
    return calls.filter(({ rpc, req }) => rpc === 'PlanResourceChange' && req.config !== null)
  })
}

function blockOf(type: string): BlockSchema {
  const block = blocks.get(type)
  if (block === undefined) throw new Error(`the provider has no resource type '${type}'`)
  return block
}

// A different merge of the prior state and the configuration gives the provider another proposal.
test('the proposed new state equals that of OpenTofu in each recorded plan', () => {
  const plans = readdirSync(casesFolder).flatMap(name =>
    listPlans(name).map(plan => ({ ...plan, name })),
  )
  const different = plans.filter(({ type, req }) => {
    const block = blockOf(type)
    const read = (recorded: RecordedValue) => readRecordedValue(recorded, impliedTypeOf(block))
    const proposed = proposeNew(block, read(req.prior_state), read(req.config))
    return !areEqualRaw(proposed, read(req.proposed_new_state))
  })
  expect(plans.length).toBeGreaterThan(200)
  expect(different.map(({ name, type, key }) => `${name}: ${type}.${key}`)).toEqual([])
})
