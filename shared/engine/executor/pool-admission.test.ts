import { describe, expect, test } from 'vitest'
import type { Urn } from '../../names/urn.ts'
import type { OperationId } from '../../records/ids.ts'
import { createResourceState } from '../../state/resource.ts'
import { type Step, stepOf } from '../step.ts'
import { admissionOf } from './pool-admission.ts'
import { durationKeyOf } from './duration-key.ts'

const urn = 'urn:pulumi:dev::p::a:b:C::c' as Urn
const createState = (fields: Partial<Parameters<typeof createResourceState>[0]> = {}) =>
  createResourceState({ urn, type: 'a:b:C', custom: true, ...fields })
const create = (fields: Parameters<typeof createState>[0] = {}): Step =>
  stepOf({ op: 'create', effect: 'add', next: createState(fields) })
const remove = (fields: Parameters<typeof createState>[0] = {}): Step => {
  const ref = { kind: 'base', epoch: 1, index: 0, urn } as const
  return stepOf({ op: 'delete', effect: 'remove', old: { state: createState(fields), ref } })
}

/** Returns the admission by an executor whose limit is 50 s. `earlierMs`: durations of earlier operations. */
const admissionWith = (
  step: Step,
  remainingSeconds = 50,
  earlierMs: Readonly<Record<string, number>> = {},
): string =>
  admissionOf(step, new Map(Object.entries(earlierMs)), {
    pool: 'short',
    remainingMs: () => remainingSeconds * 1_000,
    startRemainingMs: 50_000,
  })

describe('the admission of an operation', () => {
  test('begins an operation of unknown duration if the executor has at least the default duration left', () => {
    expect(admissionWith(create())).toBe('now')
    expect(admissionWith(create(), 0.5)).toBe('later')
  })

  test('counts the update that completes a create as a create', () => {
    const ref = { kind: 'operation', operation: 1 as OperationId } as const
    const complete = (customTimeouts: { create?: number; update?: number }): Step => ({
      ...create({ customTimeouts }),
      op: 'update',
      completesCreate: true,
      old: { state: createState(), ref },
    })
    expect(admissionWith(complete({ create: 120 }))).toBe('long')
    expect(admissionWith(complete({ update: 120 }))).toBe('now')
    expect(durationKeyOf(complete({}))).toBe(durationKeyOf(create()))
  })

  test('assigns an operation whose custom timeout exceeds every time limit to the long pool', () => {
    expect(admissionWith(create({ customTimeouts: { create: 120 } }))).toBe('long')
    expect(admissionWith(create({ customTimeouts: { create: 30 } }))).toBe('now')
    expect(admissionWith(create({ customTimeouts: { create: 30 } }), 20)).toBe('later')
    expect(admissionWith(create({ customTimeouts: { delete: 120 } }))).toBe('now')
    expect(admissionWith(remove({ customTimeouts: { delete: 120 } }))).toBe('long')
  })

  test('assigns an operation whose timeout may exceed the time of the next executor to the long pool', () => {
    expect(admissionWith(create({ customTimeouts: { create: 50 } }), 49.9)).toBe('long')
    expect(admissionWith(create({ customTimeouts: { create: 45 } }), 44)).toBe('later')
  })

  test('expects the previous duration of the same operation and type plus a quarter', () => {
    const earlierMs = { 'create a:b:C': 41_000 }
    expect(admissionWith(create(), 50, earlierMs)).toBe('long')
    expect(admissionWith(create(), 50, { 'create a:b:C': 39_000 })).toBe('now')
    expect(admissionWith(remove(), 50, earlierMs)).toBe('now')
  })

  test('assigns a type that is known to be slow to the long pool the first time', () => {
    const type = 'aws:rds/instance:Instance'
    expect(admissionWith(create({ type, urn: urn.replace('a:b:C', type) as Urn }))).toBe('long')
  })

  test('expects no time for an operation without a provider call', () => {
    const step = remove({ customTimeouts: { delete: 120 } })
    expect(admissionWith({ ...step, skipCall: true }, 0)).toBe('now')
    expect(durationKeyOf({ op: 'join', type: 'a:b:C' })).toBeUndefined()
    expect(durationKeyOf({ op: 'delete-replaced', type: 'a:b:C' })).toBe('delete a:b:C')
  })
})
