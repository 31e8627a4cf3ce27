import type { Urn } from '../names/urn.ts'
import { freshHead, type Head, type Outcome, type Verdict } from '../records/head.ts'
import type { EpochMs, OperationId } from '../records/ids.ts'
import type { Decision } from '../records/log.ts'
import type { Operation, StateEffect, StateReference, StepOp } from '../records/operation.ts'
import type { Json, StoredDeployment, StoredResource } from '../state/stored.ts'
import { fold } from './fold.ts'
import type { FoldInput } from './fold-input.ts'

export type Fields = { readonly [field: string]: Json }

export const testUrnOf = (name: string): Urn => `urn:pulumi:dev::shop::a:b:C::${name}` as Urn
export const idOf = (id: number): OperationId => id as OperationId
export const createResource = (name: string, fields: Fields = {}): StoredResource => ({
  urn: testUrnOf(name),
  custom: true,
  type: 'a:b:C',
  ...fields,
})
export const createDependencyFields = (...names: string[]): Fields => ({
  dependencies: names.map(testUrnOf),
})

export const createBaseReference = (index: number, name: string): StateReference => ({
  kind: 'base',
  epoch: 0,
  index,
  urn: testUrnOf(name),
})
export const createOperationReference = (id: number): StateReference => ({
  kind: 'operation',
  operation: idOf(id),
})

export function createTestOperation(
  id: number,
  name: string,
  fields: { op: StepOp; effect: StateEffect } & Partial<Operation>,
): Operation {
  const defaults = { type: 'a:b:C', provider: '', needs: 0, releases: [], logical: true }
  return { id: idOf(id), urn: testUrnOf(name), ...defaults, ...fields }
}

export const createTestCreate = (
  id: number,
  name: string,
  fields: Partial<Operation> = {},
): Operation =>
  createTestOperation(id, name, {
    op: 'create',
    effect: 'add',
    state: createResource(name),
    ...fields,
  })

export const createRegistration = (...operations: Operation[]): Decision => ({
  kind: 'registration',
  urn: operations[0]?.urn ?? testUrnOf('none'),
  goal: '',
  operations,
  sets: {},
})

export interface OperationEnd {
  readonly head: Head
  readonly outcome?: Outcome
}

export function createTestEnd(
  id: number,
  verdict: Verdict,
  state?: StoredResource,
): [number, OperationEnd] {
  const head: Head = { ...freshHead, attempt: 1, end: { verdict, attempt: 1 } }
  if (verdict === 'interrupted') return [id, { head }]
  const times = { startedAt: 0 as EpochMs, endedAt: 1 as EpochMs }
  const outcome = { operation: idOf(id), attempt: 1, verdict, ...times }
  return [id, { head, outcome: state === undefined ? outcome : { ...outcome, state } }]
}

export const createTestSuccess = (
  id: number,
  name: string,
  fields: Fields = {},
): [number, OperationEnd] =>
  createTestEnd(id, 'succeeded', createResource(name, { id: `${id}`, ...fields }))

export interface FoldFixture {
  readonly base?: readonly StoredResource[]
  readonly pending?: StoredDeployment['pending_operations']
  readonly decisions: readonly Decision[]
  readonly ends?: readonly [number, OperationEnd][]
  readonly pages?: ReadonlyMap<string, readonly Operation[]>
}

export function fixtureInputOf({
  base = [],
  pending = [],
  decisions,
  ends = [],
  pages,
}: FoldFixture): FoldInput {
  const endsById = new Map(ends)
  return {
    base: {
      manifest: { time: '', magic: '', version: '' },
      resources: base,
      pending_operations: pending,
      metadata: {},
    },
    decisions,
    getPage: hash => pages?.get(hash) ?? [],
    getEnd: id => endsById.get(id),
    secretsProvider: { type: 'passphrase', state: { salt: 's' } },
    now: '2026-01-01T00:00:00Z',
    version: 'v3.260.0',
  }
}

export const foldFixture = (fixture: FoldFixture): StoredDeployment => fold(fixtureInputOf(fixture))
export const foldedResourcesOf = (fixture: FoldFixture): readonly StoredResource[] =>
  foldFixture(fixture).resources ?? []
export const foldedPendingOf = (fixture: FoldFixture) =>
  (foldFixture(fixture).pending_operations ?? []).map(({ type, resource: { urn } }) => [type, urn])
