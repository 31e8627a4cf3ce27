import { afterAll, beforeAll, expect, test } from 'vitest'
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { createInstallationToken } from '../../cli/platform/create-installation-token.ts'
import { authenticate } from '../../shared/api/authenticate.ts'
import { installationNamesOf } from '../../shared/config/aws-resource-names.ts'
import { createDynamoClient } from '../../shared/platform/aws/dynamo/table/dynamo-client.ts'
import { createSystemClock } from '../../shared/platform/system/clock.ts'
import { type Dynoxide, hasDynoxide, openDynoxide } from './dynoxide.ts'
import { createTables, createTestRecords } from './test-records.ts'

const credentials = { accessKeyId: 'test', secretAccessKey: 'test' }
const region = 'eu-test-1'
const installation = `t${process.pid}`
const target = { installation, region, env: {} }
const tokenInput = { userName: 'arn:aws:iam::111122223333:user/me', name: 'me' }

if (hasDynoxide()) {
  let dynoxide: Dynoxide
  let client: DynamoDBClient
  beforeAll(async () => {
    dynoxide = await openDynoxide()
    client = createDynamoClient({ region, endpoint: dynoxide.endpoint, credentials })
  })
  afterAll(async () => {
    client.destroy()
    await dynoxide.close()
  })

  test('the first token of an installation admits its creator, and its text is not stored', async () => {
    const { catalogTable: catalog, journalTable: journal } = installationNamesOf(installation)
    await createTables(client, { catalog, journal })
    const commands: string[] = []
    const send = (...args: Parameters<DynamoDBClient['send']>) => {
      commands.push(args[0].constructor.name)
      return client.send(...args)
    }
    const { id, token } = await createInstallationToken(
      { send: send as DynamoDBClient['send'] },
      target,
      tokenInput,
    )
    // The permissions that a user needs on the table: none of them reads.
    const needed = ['PutItemCommand', 'TransactWriteItemsCommand', 'UpdateItemCommand']
    expect([...new Set(commands)].toSorted()).toEqual(needed)
    const { documents, audit } = createTestRecords(client, { catalog, journal })
    const caller = await authenticate({ documents, clock: createSystemClock() }, token)
    expect(caller).toEqual({ id, name: 'me', role: 'admin', stacks: '*' })
    const page = await documents.list('token', '')
    const secret = token.slice('act_'.length + id.length + 1)
    expect(JSON.stringify(page)).not.toContain(secret)
    const audited = await audit.read(0, 10)
    expect(audited.map(({ kind, status }) => [kind, status])).toEqual([
      ['answered', 201],
      ['asked', undefined],
    ])
    expect(audited[0]?.who).toContain('user/me')
    expect(JSON.stringify(audited)).not.toContain(secret)
  })

  test('without an installation the command fails and creates no token', async () => {
    const other = { ...target, installation: 'absent' }
    await expect(createInstallationToken(client, other, tokenInput)).rejects.toMatchObject({
      code: 'STORE_MISSING',
    })
  })
}
