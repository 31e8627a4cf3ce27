import { afterEach, expect, test } from 'vitest'
import type { StoredDeployment } from '../../../shared/state/stored.ts'
import { createCloud } from '../cloud.ts'
import { editStackState } from '../stack-states.ts'
import { diagnosticsOf } from '../run-events.ts'
import { createEngines, createThings } from '../register-thing.ts'

const engines = createEngines()
afterEach(() => engines.close())

const program = createThings({ a: { v: 1 } })
const pendingOf = ({ pending_operations: pending = [] }: StoredDeployment) =>
  pending.map(({ type, resource }) => `${type} ${resource.urn.split('::').at(-1)}`)

/** Opens a stack in which the ends of an update of `a` and of a create of `b` are unknown. */
async function openPending() {
  const engine = await engines.open(createCloud())
  await engine.run(program)
  await editStackState(engine, state => {
    const a = (state.resources ?? []).find(({ urn }) => urn.endsWith('::a'))
    if (a === undefined) throw new Error('the first run created no resource')
    const b = { ...a, id: '', urn: a.urn.replace(/a$/, 'b') }
    const operations = [
      { resource: a, type: 'updating' as const },
      { resource: b, type: 'creating' as const },
    ]
    return { ...state, pending_operations: operations }
  })
  return engine
}

test('TestPreviewWithPendingOperations, TestUpdateShowsWarningWithPendingOperations: an update warns and continues, and a preview does not warn', async () => {
  const engine = await openPending()
  const shown = await engine.run(program, { dryRun: true })
  expect(shown.result.result).toBe('succeeded')
  expect(diagnosticsOf(shown, 'warning')).toEqual([])
  const testRun = await engine.run(program)
  expect(testRun.result.result).toBe('succeeded')
  const [warning = ''] = diagnosticsOf(testRun, 'warning')
  expect(warning).toContain(
    'Attempting to deploy or update resources with 2 pending operations from previous deployment.\n' +
      '  * urn:pulumi:dev::life::test:index:Thing::a, interrupted while updating\n' +
      '  * urn:pulumi:dev::life::test:index:Thing::b, interrupted while creating\n',
  )
  expect(pendingOf(testRun.state)).toEqual(['creating b'])
})

test('equal pending operations are one line of the warning, with their number', async () => {
  const engine = await openPending()
  await editStackState(engine, ({ pending_operations: pending = [], ...state }) => ({
    ...state,
    pending_operations: [...pending, ...pending.slice(1)],
  }))
  const [warning = ''] = diagnosticsOf(await engine.run(program), 'warning')
  expect(warning).toContain('with 3 pending operations')
  expect(warning).toContain('Thing::b, interrupted while creating (2 operations)\n')
})

test('TestRefreshWithPendingOperations, TestRefreshPreservesPendingCreateOperations: a refresh clears all pending operations except creates', async () => {
  for (const options of [{ command: 'refresh' }, { refresh: true }] as const) {
    const engine = await openPending()
    const testRun = await engine.run('command' in options ? undefined : program, options)
    expect(testRun.result.result).toBe('succeeded')
    expect(diagnosticsOf(testRun, 'warning')).toEqual([])
    expect(pendingOf(testRun.state)).toEqual(['creating b'])
    const nextRun = await engine.run(program)
    expect(nextRun.result.result).toBe('succeeded')
  }
})
