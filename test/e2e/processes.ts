import { expect } from 'vitest'
import { verifyExport } from '../verifier/verify.ts'
import { createPlace, type Place, type RunningCommand, succeeded, until } from './place.ts'
import { initStack, lostObjects, readExport, up } from './state.ts'

/** A deployment whose operations are run by processes of their own, and who of them is killed. */
export interface Killing {
  readonly whom: 'generator' | 'executor' | 'all'
  readonly during: 'up' | 'destroy'
  /** The kill comes when so many of 50 objects were made, or deleted. */
  readonly objects: number
}

const elsewhere = ['--yes', '--skip-preview', '-s', 'dev', '-p', '8', '--execute', 'elsewhere']

/**
 * Kills generator or executors of a deployment of 50 creates or deletes, and waits for the others to
 * finish it: nobody resumes by hand. A killed generator leaves no trace; of killed executors each
 * create that they were in may be pending, named; deletes are done again.
 */
export async function checkGoesOn({ whom, during, objects }: Killing): Promise<void> {
  const place = createPlace('many')
  const serving = new Set<RunningCommand>()
  const serve = (role: string): RunningCommand => {
    const command = place.start(['serve', '--only', role])
    serving.add(command)
    return command
  }
  const kill = (command: RunningCommand | undefined): void => {
    if (command === undefined || !serving.delete(command)) return
    command.kill('SIGKILL', 'group')
  }
  try {
    await initStack(place)
    if (during === 'destroy') succeeded(await place.run([...up, '-p', '16']))
    const executors = [serve('executor'), serve('executor')]
    serve('generator')
    const running = place.start([during, ...elsewhere])
    const done = (): number =>
      during === 'up' ? place.objects().length : 50 - place.objects().length
    await until(() => done() >= objects, { what: `${objects} objects` })
    if (whom !== 'executor') running.kill('SIGKILL', 'group')
    const [first] = executors
    for (const one of whom === 'all' ? executors : whom === 'executor' ? [first] : []) kill(one)
    if (whom === 'all') serve('executor')
    await running.done
    await until(async () => (await currentOf(place)) === '', {
      what: 'the end of the deployment',
      limitMs: 60_000,
    })
    await (during === 'up' ? checkMade(place, whom) : checkGone(place))
  } finally {
    for (const command of serving) kill(command)
    place.remove()
  }
}

async function currentOf(place: Place): Promise<string> {
  const { out } = await place.run(['stack', 'history', '-s', 'dev', '--json'])
  const [newest] = JSON.parse(out) as readonly { readonly endTime?: string; result?: string }[]
  return newest?.result === undefined || newest.result === 'in-progress' ? 'running' : ''
}

async function checkGone(place: Place): Promise<void> {
  expect(place.objects()).toEqual([])
  const { resources, pending } = readExport(await place.exported())
  expect([resources, pending]).toEqual([[], []])
}

async function checkMade(place: Place, whom: Killing['whom']): Promise<void> {
  const text = await place.exported()
  expect(verifyExport(text, { sealed: true })).toEqual([])
  const state = readExport(text)
  expect(lostObjects(place, state)).toEqual([])
  const creates = place.calls().filter(({ call }) => call === 'create')
  const urns = creates.map(({ urn }) => urn)
  expect(urns.length).toBeGreaterThan(12)
  expect(urns.length, urns.join()).toBe(new Set(urns).size)
  if (whom !== 'generator') return
  expect(state.pending).toEqual([])
  expect(state.resources.filter(({ name }) => name.startsWith('thing-'))).toHaveLength(50)
}
