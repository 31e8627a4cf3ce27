/** Random kills on self-managed backends: another machine recovers each killed deployment. */
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { verifyExport } from '../verifier/verify.ts'
import { findLostObjects, parseExport, upArgs } from './exported-state.ts'
import { createSandbox, requireSuccess, waitUntil } from './sandbox.ts'

const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31))
const roundsPerScheme = 6
const s3Endpoint = process.env['ANTICHAIN_S3_ENDPOINT'] ?? ''
if (s3Endpoint === '') process.stderr.write('SKIPPED: kills on s3://: no endpoint of S3\n')

describe.each(s3Endpoint === '' ? ['file'] : ['file', 's3'])('a backend of %s://', scheme => {
  const bucket = `antichain-${process.pid}-${Date.now()}`
  beforeAll(async () => {
    if (scheme !== 's3') return
    const client = new S3Client({ endpoint: s3Endpoint, forcePathStyle: true })
    await client.send(new CreateBucketCommand({ Bucket: bucket }))
    client.destroy()
  })
  const rounds = Array.from({ length: roundsPerScheme }, (_, round) => round)
  test.each(rounds)(
    `seed ${seed}, round %i: no object is lost, and both machines agree`,
    async round => {
      // The first round waits for a sign of life. The other rounds remove the lock.
      await checkRound(scheme === 's3' ? bucket : undefined, { round, mustWait: round === 0 })
    },
    300_000,
  )
})

const sandboxes: ReturnType<typeof createSandbox>[] = []
afterAll(() => {
  for (const sandbox of sandboxes) sandbox.remove()
})

async function checkRound(
  bucket: string | undefined,
  { round, mustWait }: { readonly round: number; readonly mustWait: boolean },
): Promise<void> {
  const sandbox = createSandbox('many')
  sandboxes.push(sandbox)
  const query = `endpoint=${encodeURIComponent(s3Endpoint)}&s3ForcePathStyle=true&region=us-east-1`
  const address =
    bucket === undefined
      ? `file://${join(sandbox.home, '../backend')}?create_dir=true`
      : `s3://${bucket}/round-${round}?${query}`
  const env = { PULUMI_BACKEND_URL: address, DELAY: '50' }
  const otherMachine = { ...env, ANTICHAIN_HOME: join(sandbox.home, '../other-home') }
  const run = async (args: readonly string[], variables: Record<string, string>) =>
    requireSuccess(await sandbox.run(args, { env: variables }))
  await run(['stack', 'init', 'dev'], env)
  // Large primes vary the moments of the kills from round to round.
  const objects = 1 + ((seed + round * 7919) % 45)
  const running = sandbox.start([...upArgs, '-p', '8'], { env })
  await waitUntil(() => sandbox.listObjects().length >= objects, { condition: 'created objects' })
  running.kill('SIGKILL', 'group')
  await running.done

  if (round % 2 === 1) {
    // A third machine dies while it recovers the first one, or in its own deployment.
    const thirdMachine = { ...env, ANTICHAIN_HOME: join(sandbox.home, '../third-home') }
    await run(['cancel', '-s', 'dev', '--yes'], thirdMachine)
    const recovering = sandbox.start([...upArgs, '-p', '8'], { env: thirdMachine })
    const killed = sleep(300 + ((seed + round * 104_729) % 2_000), 'killed' as const)
    // The deployment may also end before the kill.
    if ((await Promise.race([killed, recovering.done])) === 'killed')
      recovering.kill('SIGKILL', 'group')
    await recovering.done
  }
  if (!mustWait) await run(['cancel', '-s', 'dev', '--yes'], otherMachine)
  const { err } = await run([...upArgs, '-p', '8'], otherMachine)
  if (mustWait) expect(err).toContain('Waiting 60 s for a sign of life')
  const { out } = await run(['stack', 'export', '-s', 'dev'], otherMachine)
  expect(verifyExport(out, { sealed: true })).toEqual([])
  const state = parseExport(out)
  expect(findLostObjects(sandbox, state)).toEqual([])
  expect(state.resources.filter(({ name }) => name.startsWith('thing-'))).toHaveLength(50)
  expect((await run(['stack', 'export', '-s', 'dev'], env)).out).toBe(out)
}
