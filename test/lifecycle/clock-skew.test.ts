import { afterEach, expect, test } from 'vitest'
import { readStateAt, readDeploymentTimeline } from '../../shared/runtime/state/state-at-time.ts'
import type { EpochMs } from '../../shared/records/ids.ts'
import { verifyIntegrity } from '../../shared/state/snapshot-integrity.ts'
import { ProcessKilledError } from './test-process.ts'
import { createForeignCloud, firstProgram, secondProgram } from './resume.ts'
import { createEngines, getTestStack } from './register-thing.ts'

const farFuture = 4e12 as EpochMs
const engines = createEngines()
afterEach(() => engines.close())

test.each([30_000, -30_000])(
  'a process whose clock differs by %i ms resumes the deployment of another process and repeats no create',
  async skewMs => {
    for (const effect of [2, 5, 8]) {
      const cloud = createForeignCloud()
      const engine = await engines.open(cloud)
      await engine.run(firstProgram)
      const linesBefore = cloud.mutatingCalls.length
      const killed = engine.run(secondProgram, {
        kill: { call: 'operations.select', effect, when: 'after' },
      })
      await expect(killed).rejects.toBeInstanceOf(ProcessKilledError)
      const startedMs = performance.now()
      const testRun = await engine.run(secondProgram, { resume: true, skewMs })
      // The process does not wait until a clock has caught up.
      expect(performance.now() - startedMs).toBeLessThan(10_000)
      const creates = cloud.mutatingCalls
        .slice(linesBefore)
        .filter(line => line.startsWith('create '))
      expect(new Set(creates).size, creates.join()).toBe(creates.length)
      const stateIds = new Set((testRun.state.resources ?? []).map(({ id }) => id))
      const pending = (testRun.state.pending_operations ?? []).map(
        ({ resource }) => resource.urn.split('::').at(-1) ?? '',
      )
      for (const id of cloud.objects.keys())
        expect(stateIds.has(id) || pending.includes(id.replace(/-\d+$/, '')), id).toBe(true)
      const next = await engine.run(secondProgram)
      expect(next.result.result === 'succeeded' || pending.length > 0).toBe(true)
      const { platform } = engine
      const stack = await getTestStack(platform)
      const { moments = [] } = await readDeploymentTimeline(platform, stack, 2)
      for (const at of new Set(moments.flatMap(one => [one.at - 1, one.at]))) {
        const moment = { kind: 'time', timeMs: at as EpochMs } as const
        const state = await readStateAt(platform, stack, moment, farFuture)
        expect(state && verifyIntegrity(state)).toBeUndefined()
      }
    }
  },
)
