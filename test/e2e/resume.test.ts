import { expect, test } from 'vitest'
import { catalogue } from '../../shared/errors/catalogue.ts'
import { verifyExport } from '../verifier/verify.ts'
import { createPlace, requireSuccess, waitUntil } from './place.ts'
import { initDevStack, lostObjects, readExport, upArgs } from './exported-state.ts'

const resume = ['resume', '--yes', '-s', 'dev']

test.each(['group', 'process'] as const)(
  'a deployment whose %s was killed is resumed: nothing is made twice, nothing is lost',
  async whom => {
    const place = createPlace('many')
    try {
      await initDevStack(place)
      const running = place.start([...upArgs, '-p', '8'])
      await waitUntil(() => place.listObjects().length >= 15, { what: '15 objects' })
      running.kill('SIGKILL', whom)
      await running.done
      await waitUntil(() => place.listProcesses().length === 0, {
        what: 'no orphans',
        limitMs: 3_000,
      })
      // Readers need not wait for anybody to close or resume it.
      const left = await place.exportState()
      expect(verifyExport(left, { sealed: true })).toEqual([])
      expect(lostObjects(place, readExport(left))).toEqual([])
      const ran = await place.run(resume)
      expect(ran.err).toContain("Resuming deployment 1 of 'dev' (up).")
      const text = await place.exportState()
      expect(verifyExport(text, { sealed: true })).toEqual([])
      const state = readExport(text)
      const things = state.resources.filter(({ name }) => name.startsWith('thing-'))
      // Every fifth needs the one before it, and waits with it for a person.
      const blocked = state.pending.filter(({ name }) => Number(name.slice(6)) % 5 === 3)
      expect(things.length + state.pending.length + blocked.length).toBe(50)
      expect(lostObjects(place, state)).toEqual([])
      const creates = place.listCalls().filter(({ call }) => call === 'create')
      expect(new Set(creates.map(({ urn }) => urn)).size).toBe(creates.length)
      expect(ran.exit).toBe(state.pending.length === 0 ? 0 : catalogue.DEPLOYMENT_FAILED.exit)
    } finally {
      place.remove()
    }
  },
)

test('what is not interrupted, or not the same any more, is not resumed', async () => {
  const place = createPlace('many')
  try {
    await initDevStack(place)
    expect((await place.run(resume)).err).toContain('error[NOTHING_TO_RESUME]: ')
    // It must not end before it is looked at, however busy the machine is.
    const running = place.start([...upArgs, '-p', '8'], { env: { DELAY: '3000' } })
    await waitUntil(() => place.listObjects().length >= 3, { what: '3 objects' })
    const busy = await place.run(resume)
    expect(busy.err).toContain('error[STACK_BUSY]: ')
    running.kill('SIGKILL', 'group')
    await running.done
    requireSuccess(await place.run(['config', 'set', 'anything', 'new', '-s', 'dev']))
    const other = await place.run(resume)
    expect(other.err).toContain('error[RESUME_DIFFERS]: ')
    expect(other.exit).toBe(catalogue.RESUME_DIFFERS.exit)
    requireSuccess(await place.run([...upArgs, '-p', '8']))
  } finally {
    place.remove()
  }
})
