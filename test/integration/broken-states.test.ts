import { beforeAll, expect, test } from 'vitest'
import { urnPartsOf, type Urn } from '../../shared/names/urn.ts'
import { emptyDeployment } from '../../shared/state/empty-deployment.ts'
import { importState } from '../../shared/state/edits/import-state.ts'
import { repairState } from '../../shared/state/edits/repair.ts'
import { envelopeOf, parseEnvelope } from '../../shared/state/snapshot-codec.ts'
import { printEnvelope } from '../../shared/state/print-envelope.ts'
import type { StoredDeployment } from '../../shared/state/stored.ts'
import { listRecordedStates, readRecordedState } from '../recorded-states.ts'
import { verifyExport } from '../verifier/verify.ts'
import {
  absentUrn,
  applyDamage,
  fatalDamages,
  repairableDamages,
  unreadableDamages,
} from './damage-state.ts'

/** The recorded states that an import accepts, by name. */
const states = new Map<string, StoredDeployment>()

beforeAll(async () => {
  for (const name of listRecordedStates()) {
    const text = readRecordedState(name)
    const { deployment } = await parseEnvelope(text)
    if (deployment === null || /"integrity_error"|"plaintext"/.test(text)) continue
    states.set(name, deployment)
  }
})

/** Calls `check` for each state with the damage. */
async function checkDamaged(
  damage: (typeof fatalDamages)[number],
  check: (damaged: StoredDeployment, urn: string, name: string) => void | Promise<void>,
): Promise<void> {
  let count = 0
  for (const [name, state] of states) {
    const damaged = applyDamage(state, damage)
    if (damaged === undefined) continue
    count += 1
    await check(damaged.damaged, damaged.urn, name)
  }
  expect(count).toBeGreaterThan(100)
}

const importInto = (imported: StoredDeployment, urn: string): void => {
  const { stack, project } = urnPartsOf(urn as Urn)
  importState(imported, { before: emptyDeployment, names: { stack, project }, force: false })
}

test('each recorded state without damage is imported', () => {
  for (const state of states.values()) {
    const { urn } = state.resources?.[0] ?? { urn: absentUrn }
    expect(() => importInto(state, urn)).not.toThrow()
  }
})

test.each(repairableDamages)('a state with $kind is refused by its import, and repaired', damage =>
  checkDamaged(damage, async (damaged, urn, name) => {
    expect(() => importInto(damaged, urn), name).toThrow(urn)
    const repaired = repairState(damaged)?.state
    if (repaired === undefined) throw new Error(`${name} is not repaired`)
    expect(repaired.resources, name).toHaveLength(damaged.resources?.length ?? 0)
    const text = await printEnvelope(await envelopeOf(repaired))
    const faults = verifyExport(text, { sealed: true })
    // An import keeps aliases, as that of Pulumi's command line does.
    expect(
      faults.filter(fault => !fault.endsWith('aliases are written')),
      name,
    ).toEqual([])
    expect(text).not.toContain(absentUrn)
  }),
)

test.each(fatalDamages)('a state with $kind is refused by its import and its repair', damage =>
  checkDamaged(damage, (damaged, urn, name) => {
    expect(() => importInto(damaged, urn), name).toThrow(urn)
    expect(() => repairState(damaged), name).toThrow(urn)
  }),
)

test.each(unreadableDamages)('a state with $kind is refused by its import and its repair', damage =>
  checkDamaged(damage, (damaged, urn, name) => {
    // The invalid URN is the beginning of the valid one.
    const stack = urn.replace(/::.*/, '')
    expect(() => importInto(damaged, urn), name).toThrow(stack)
    expect(() => repairState(damaged), name).toThrow(stack)
  }),
)
