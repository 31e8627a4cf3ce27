import { expect, test } from 'vitest'
import { catalogue } from '../../shared/errors/catalogue.ts'
import { verifyExport } from '../verifier/verify.ts'
import { createSandbox, requireSuccess, waitUntil } from './sandbox.ts'
import { initDevStack, findLostObjects, parseExport, upArgs } from './exported-state.ts'

const resume = ['resume', '--yes', '-s', 'dev']

test.each(['group', 'process'] as const)(
  'a deployment whose %s was killed is resumed: no create is repeated, and no object is lost',
  async target => {
    const sandbox = createSandbox('many')
    try {
      await initDevStack(sandbox)
      const running = sandbox.start([...upArgs, '-p', '8'])
      await waitUntil(() => sandbox.listObjects().length >= 15, { condition: '15 objects' })
      running.kill('SIGKILL', target)
      await running.done
      await waitUntil(() => sandbox.listProcesses().length === 0, {
        condition: 'the end of all child processes',
        limitMs: 3_000,
      })
      // A read does not wait until the deployment is closed or resumed.
      const exported = await sandbox.exportState()
      expect(verifyExport(exported, { sealed: true })).toEqual([])
      expect(findLostObjects(sandbox, parseExport(exported))).toEqual([])
      const result = await sandbox.run(resume)
      expect(result.err).toContain("Resuming deployment 1 of 'dev' (up).")
      const text = await sandbox.exportState()
      expect(verifyExport(text, { sealed: true })).toEqual([])
      const state = parseExport(text)
      const things = state.resources.filter(({ name }) => name.startsWith('thing-'))
      // Every fifth resource depends on the previous one, and is missing while that one is
      // pending.
      const blockers = state.pending.filter(({ name }) => Number(name.slice(6)) % 5 === 3)
      expect(things.length + state.pending.length + blockers.length).toBe(50)
      expect(findLostObjects(sandbox, state)).toEqual([])
      const creates = sandbox.listCalls().filter(({ call }) => call === 'create')
      expect(new Set(creates.map(({ urn }) => urn)).size).toBe(creates.length)
      expect(result.exit).toBe(state.pending.length === 0 ? 0 : catalogue.DEPLOYMENT_FAILED.exit)
    } finally {
      sandbox.remove()
    }
  },
)

test('a deployment is not resumed when it was not interrupted or when its configuration changed', async () => {
  const sandbox = createSandbox('many')
  try {
    await initDevStack(sandbox)
    expect((await sandbox.run(resume)).err).toContain('error[NOTHING_TO_RESUME]: ')
    // The deployment must still run when it is checked, even on a busy machine.
    const running = sandbox.start([...upArgs, '-p', '8'], { env: { DELAY: '3000' } })
    await waitUntil(() => sandbox.listObjects().length >= 3, { condition: '3 objects' })
    const busy = await sandbox.run(resume)
    expect(busy.err).toContain('error[STACK_BUSY]: ')
    running.kill('SIGKILL', 'group')
    await running.done
    requireSuccess(await sandbox.run(['config', 'set', 'anything', 'new', '-s', 'dev']))
    const refused = await sandbox.run(resume)
    expect(refused.err).toContain('error[RESUME_DIFFERS]: ')
    expect(refused.exit).toBe(catalogue.RESUME_DIFFERS.exit)
    requireSuccess(await sandbox.run([...upArgs, '-p', '8']))
  } finally {
    sandbox.remove()
  }
})
