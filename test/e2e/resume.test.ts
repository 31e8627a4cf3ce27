import { expect, test } from 'vitest'
import { catalogue } from '../../shared/errors/catalogue.ts'
import { verifyExport } from '../verifier/verify.ts'
import { createPlace, requireSuccess, waitUntil } from './place.ts'
import { initDevStack, lostObjects, readExport, upArgs } from './exported-state.ts'

const resume = ['resume', '--yes', '-s', 'dev']

test.each(['group', 'process'] as const)(
  'a deployment whose %s was killed is resumed: no create is repeated, and no object is lost',
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
      // A read does not wait until the deployment is closed or resumed.
      const left = await place.exportState()
      expect(verifyExport(left, { sealed: true })).toEqual([])
      expect(lostObjects(place, readExport(left))).toEqual([])
      const ran = await place.run(resume)
      expect(ran.err).toContain("Resuming deployment 1 of 'dev' (up).")
      const text = await place.exportState()
      expect(verifyExport(text, { sealed: true })).toEqual([])
      const state = readExport(text)
      const things = state.resources.filter(({ name }) => name.startsWith('thing-'))
      // Every fifth resource depends on the previous one. It is blocked while that one waits for
      // the user.
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

test('a deployment is not resumed when it was not interrupted or when its configuration changed', async () => {
  const place = createPlace('many')
  try {
    await initDevStack(place)
    expect((await place.run(resume)).err).toContain('error[NOTHING_TO_RESUME]: ')
    // The deployment must still run when it is checked, even on a busy machine.
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
