import { afterEach, beforeEach, expect, test } from 'vitest'
import { verifyExport } from '../verifier/verify.ts'
import { createPlace, findFilesWith, type Place, requireSuccess } from './place.ts'

const secret = 'swordfish-7f3a'

let place: Place

beforeEach(() => {
  place = createPlace('shop')
})

afterEach(() => place.remove())

interface State {
  readonly deployment: {
    readonly resources?: readonly { readonly urn: string; readonly id?: string }[]
  }
}

async function readCheckedExport(): Promise<
  readonly { readonly name: string; readonly id: string }[]
> {
  const text = await place.exportState()
  expect(verifyExport(text, { sealed: true })).toEqual([])
  expect(text).not.toContain(secret)
  expect(text).not.toContain('tok-sealed-token')
  const { deployment } = JSON.parse(text) as State
  return (deployment.resources ?? []).map(({ urn, id }) => ({
    name: urn.slice(urn.lastIndexOf('::') + 2),
    id: id ?? '',
  }))
}

const up = ['up', '--yes', '--skip-preview', '-s', 'dev']

test('a program is deployed, updated, refreshed and destroyed, and no secret is stored in plaintext', async () => {
  requireSuccess(await place.run(['stack', 'init', 'dev']))
  requireSuccess(await place.run(['config', 'set', '--secret', 'password', secret, '-s', 'dev']))

  requireSuccess(await place.run(up))
  const first = await readCheckedExport()
  expect(place.listObjects().map(({ id }) => id)).toEqual([
    'database-1',
    'old-1',
    'page-1',
    'server-1',
  ])
  expect(first.map(({ name }) => name)).toContain('note')

  const again = await place.run([...up, '--expect-no-changes'])
  expect(again).toMatchObject({ exit: 0 })

  requireSuccess(await place.run(up, { env: { STEP: '2' } }))
  const second = await readCheckedExport()
  expect(place.listObjects().map(({ id }) => id)).toEqual([
    'database-1',
    'new-1',
    'page-1',
    'server-2',
  ])
  expect(second.map(({ id }) => id)).toContain('server-2')

  const outputs = requireSuccess(await place.run(['stack', 'output', '--json', '-s', 'dev'])).out
  expect(JSON.parse(outputs)).toEqual({
    url: 'gold:none:server-2',
    token: '[secret]',
    password: '[secret]',
  })

  requireSuccess(await place.run(['refresh', '--yes', '--skip-preview', '-s', 'dev']))
  await readCheckedExport()

  requireSuccess(await place.run(['destroy', '--yes', '--skip-preview', '-s', 'dev']))
  expect(await readCheckedExport()).toEqual([])
  expect(place.listObjects()).toEqual([])
  for (const text of [secret, 'tok-sealed-token'])
    expect(findFilesWith(place.home, text)).toEqual([])
  expect(place.listProcesses()).toEqual([])
})
