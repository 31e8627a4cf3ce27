import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startDeployment } from '../../functions/step-generator/start-deployment.ts'
import { createGeneratorPorts } from '../../local/local-engine.ts'
import type { DeployInput } from '../../shared/engine/request.ts'
import {
  type EmbeddedPlatform,
  openEmbeddedPlatform,
} from '../../shared/platform/embedded/embedded-platform.ts'
import { stackIdOf } from '../../shared/records/ids.ts'
import { createPassphraseManager } from '../../shared/secrets/passphrase-secrets.ts'

const stack = stackIdOf('alone', 'dev')
const home = mkdtempSync(join(tmpdir(), 'antichain-one-'))
let platform: EmbeddedPlatform

beforeEach(async () => {
  platform = await openEmbeddedPlatform({ home })
  await platform.catalog.createStack(stack, platform.clock.now())
})

afterEach(async () => {
  await platform.close()
  rmSync(home, { recursive: true, force: true })
})

/** The fields of a request that a start reads. */
const request = {
  stack,
  source: { root: home },
  secrets: await createPassphraseManager('one process'),
  options: { command: 'up', message: '' },
  programDigest: '',
  wait: false,
  pendingCreates: { existingIds: new Map(), mustClearOthers: false },
} as unknown as DeployInput

test('of two deployments of a stack that one process starts at the same time, one is refused', async () => {
  const ports = createGeneratorPorts(platform)
  const [first, second] = await Promise.allSettled([
    startDeployment(ports, request),
    startDeployment(ports, request),
  ])
  const started = [first, second].filter(({ status }) => status === 'fulfilled')
  const refused = [first, second].find(({ status }) => status === 'rejected')
  expect(started).toHaveLength(1)
  expect(refused).toMatchObject({ reason: { code: 'STACK_BUSY' } })
})

test('a deployment that an earlier run of this process left open is closed by the next run', async () => {
  const ports = createGeneratorPorts(platform)
  const interruptedRun = await startDeployment(ports, request)
  // The state after a store failure: the run has ended, and the deployment is not closed.
  ports.ownDeployments?.delete(interruptedRun.deployment)
  const next = await startDeployment(ports, request)
  expect(next.closedDeployment).toBe(interruptedRun.deployment)
})
