import type { Urn } from '../names/urn.ts'
import { freshHead, type Head, type Outcome, type Verdict } from '../records/head.ts'
import type { EpochMs, OperationId } from '../records/ids.ts'
import type { Decision } from '../records/log.ts'
import type { Operation, StateEffect, StateReference, StepOp } from '../records/operation.ts'
import type { Json, StoredDeployment, StoredResource } from '../state/stored.ts'
import { fold } from './fold.ts'
import type { FoldInput } from './fold-input.ts'

export type Fields = { readonly [field: string]: Json }

export const urnOf = (name: string): Urn => `urn:pulumi:dev::shop::a:b:C::${name}` as Urn
export const idOf = (id: number): OperationId => id as OperationId
export const resource = (name: string, fields: Fields = {}): StoredResource => ({
  urn: urnOf(name),
  custom: true,
  type: 'a:b:C',
  ...fields,
})
export const on = (...names: string[]): Fields => ({ dependencies: names.map(urnOf) })

export const inBase = (index: number, name: string): StateReference => ({
  kind: 'base',
  epoch: 0,
  index,
  urn: urnOf(name),
})
export const madeBy = (id: number): StateReference => ({ kind: 'operation', operation: idOf(id) })

export function operation(
  id: number,
  name: string,
  given: { op: StepOp; effect: StateEffect } & Partial<Operation>,
): Operation {
  const about = { type: 'a:b:C', provider: '', needs: 0, releases: [], logical: true }
  return { id: idOf(id), urn: urnOf(name), ...about, ...given }
}

export const create = (id: number, name: string, given: Partial<Operation> = {}): Operation =>
  operation(id, name, { op: 'create', effect: 'add', state: resource(name), ...given })

export const registration = (...operations: Operation[]): Decision => ({
  kind: 'registration',
  urn: operations[0]?.urn ?? urnOf('none'),
  goal: '',
  operations,
  sets: {},
})

export interface End {
  readonly head: Head
  readonly outcome?: Outcome
}

export function ended(id: number, verdict: Verdict, state?: StoredResource): [number, End] {
  const head: Head = { ...freshHead, attempt: 1, end: { verdict, attempt: 1 } }
  if (verdict === 'interrupted') return [id, { head }]
  const times = { startedAt: 0 as EpochMs, endedAt: 1 as EpochMs }
  const outcome = { operation: idOf(id), attempt: 1, verdict, ...times }
  return [id, { head, outcome: state === undefined ? outcome : { ...outcome, state } }]
}

export const made = (id: number, name: string, fields: Fields = {}): [number, End] =>
  ended(id, 'succeeded', resource(name, { id: `${id}`, ...fields }))

export interface Given {
  readonly base?: readonly StoredResource[]
  readonly pending?: StoredDeployment['pending_operations']
  readonly decisions: readonly Decision[]
  readonly ends?: readonly [number, End][]
  readonly pages?: ReadonlyMap<string, readonly Operation[]>
}

export function inputOf({
  base = [],
  pending = [],
  decisions,
  ends = [],
  pages,
}: Given): FoldInput {
  const byId = new Map(ends)
  return {
    base: {
      manifest: { time: '', magic: '', version: '' },
      resources: base,
      pending_operations: pending,
      metadata: {},
    },
    decisions,
    page: hash => pages?.get(hash) ?? [],
    end: id => byId.get(id),
    secretsProvider: { type: 'passphrase', state: { salt: 's' } },
    now: '2026-01-01T00:00:00Z',
    version: 'v3.260.0',
  }
}

export const folded = (given: Given): StoredDeployment => fold(inputOf(given))
export const resourcesOf = (given: Given): readonly StoredResource[] =>
  folded(given).resources ?? []
export const pendingOf = (given: Given) =>
  (folded(given).pending_operations ?? []).map(({ type, resource: { urn } }) => [type, urn])
