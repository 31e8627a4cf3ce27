/** A self-managed backend in a bucket whose policy denies some requests of its user. */
import { ListObjectsV2Command, PutBucketPolicyCommand } from '@aws-sdk/client-s3'
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { emulators } from '../../infra/emulators/emulators.ts'
import { installEmulator } from '../../infra/emulators/install-emulator.ts'
import { parseExport, upArgs } from '../e2e/exported-state.ts'
import { expectRefused } from '../e2e/expect-refused.ts'
import {
  type CommandOutput,
  createSandbox,
  requireSuccess,
  type Sandbox,
  waitUntil,
} from '../e2e/sandbox.ts'
import { describeWithServices } from './describe-with-services.ts'

/** An account of the server: its name, which is also its secret. */
type Account = 'backend-owner' | 'backend-reader'

const bucket = 'denied-backend'
const bucketArn = `arn:aws:s3:::${bucket}`

function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' ? (address?.port ?? 0) : 0))
    })
  })
}

describeWithServices('a backend in a bucket with a policy', ['S3'], () => {
  const folder = mkdtempSync(join(tmpdir(), 'antichain-denied-'))
  let gateway: ChildProcess
  let endpoint: string
  let owner: S3Client
  let sandbox: Sandbox

  /** Starts a server of its own, because that of the other tests has no accounts. */
  beforeAll(async () => {
    const row = emulators.find(({ name }) => name === 'versitygw')
    if (row === undefined) throw new Error('there is no versitygw')
    const installed = await installEmulator(row, process.env, () => {})
    if (installed.kind === 'missing') throw new Error(installed.reason)
    const command = join(installed.folder, row.installedPath)
    const port = await findFreePort()
    endpoint = `http://127.0.0.1:${port}`
    for (const name of ['data', 'accounts']) mkdirSync(join(folder, name))
    const credentials = ['--access', 'backend-owner', '--secret', 'backend-owner']
    gateway = spawn(
      command,
      [
        ...credentials,
        ...['--port', `127.0.0.1:${port}`, '--quiet', '--iam-dir', join(folder, 'accounts')],
        ...['posix', join(folder, 'data')],
      ],
      { stdio: 'ignore' },
    )
    const isListening = () => fetch(endpoint).then(Boolean, () => false)
    await waitUntil(isListening, { condition: 'a listening versitygw', limitMs: 30_000 })
    const reader = ['--access', 'backend-reader', '--secret', 'backend-reader', '--role', 'user']
    const admin = ['admin', ...credentials, '--endpoint-url', endpoint]
    execFileSync(command, [...admin, 'create-user', ...reader])
    owner = createClient('backend-owner')
    await owner.send(new CreateBucketCommand({ Bucket: bucket }))
    sandbox = createSandbox('small')
    requireSuccess(await run('backend-owner', ['stack', 'init', 'dev']))
    requireSuccess(await run('backend-owner', upArgs))
  })

  afterAll(() => {
    gateway.kill()
    owner.destroy()
    sandbox.remove()
    rmSync(folder, { recursive: true, force: true })
  })

  const createClient = (account: Account): S3Client =>
    new S3Client({
      endpoint,
      region: 'us-east-1',
      forcePathStyle: true,
      credentials: { accessKeyId: account, secretAccessKey: account },
    })
  /** Runs a command as one of the accounts, with a store of its own. */
  const run = (account: Account, args: readonly string[]): Promise<CommandOutput> => {
    const query = `endpoint=${endpoint}&s3ForcePathStyle=true&region=us-east-1`
    const env = {
      PULUMI_BACKEND_URL: `s3://${bucket}?${query}`,
      AWS_ACCESS_KEY_ID: account,
      AWS_SECRET_ACCESS_KEY: account,
      ANTICHAIN_HOME: join(sandbox.home, account),
      STEP: account === 'backend-owner' ? '1' : '2',
    }
    return sandbox.run(args, { env })
  }
  const allow = async (statements: readonly (readonly [action: string[], path: string])[]) => {
    const policy = statements.map(([Action, path]) => ({
      ...{ Effect: 'Allow', Principal: 'backend-reader', Action },
      Resource: [`${bucketArn}${path}`],
    }))
    const Policy = JSON.stringify({ Statement: policy })
    await owner.send(new PutBucketPolicyCommand({ Bucket: bucket, Policy }))
  }
  const listObjects = async () =>
    ((await owner.send(new ListObjectsV2Command({ Bucket: bucket }))).Contents ?? []).map(
      ({ Key, ETag }) => [Key, ETag],
    )
  const refuseUp = async (pattern: RegExp): Promise<void> => {
    const [before, calls] = [await listObjects(), sandbox.listCalls().length]
    expectRefused(await run('backend-reader', upArgs), 'BACKEND_DENIED', [pattern])
    expect(await listObjects()).toEqual(before)
    expect(sandbox.listCalls()).toHaveLength(calls)
  }
  const read = [
    [['s3:ListBucket'], ''],
    [['s3:GetObject'], '/*'],
  ] as const satisfies Parameters<typeof allow>[0]

  test('without a permission, each command names the request that was denied', async () => {
    await allow([[['s3:ListBucket'], '']])
    for (const args of [['stack', 'ls'], upArgs])
      expectRefused(await run('backend-reader', args), 'BACKEND_DENIED', [
        `get .pulumi/meta.yaml in s3://${bucket} failed: AccessDenied`,
      ])
  })

  test('with permissions to read, only changes of the stack are refused', async () => {
    await allow(read)
    const { out } = requireSuccess(await run('backend-reader', ['stack', 'export', '-s', 'dev']))
    expect(parseExport(out).resources.length).toBeGreaterThan(1)
    await refuseUp(/put \.pulumi\/locks\/\S+ in s3:\/\/denied-backend failed: AccessDenied/)
  })

  test('with a permission for locks only, a deployment ends before its first call, without a lock', async () => {
    await allow([...read, [['s3:PutObject', 's3:DeleteObject'], '/.pulumi/locks/*']])
    await refuseUp(/put \.pulumi\/stacks\/\S+ in s3:\/\/denied-backend failed: AccessDenied/)
  })
})
