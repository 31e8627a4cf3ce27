import type { FunctionName } from '../../infra/function-row.ts'
import { functionsTable } from '../../infra/functions-table.ts'
import { catalogPartitions, journalPartitions } from '../../shared/config/table-partitions.ts'
import type { TableNames } from '../../shared/platform/aws/dynamo/table-definitions.ts'
import { createModelDynamo } from '../sim/model-dynamo.ts'
import { createTables, createTableNames } from './test-records.ts'

/** The kinds of permissions for the items of a partition. */
type PartitionAction = 'reads' | 'writes' | 'removes'

/** The use of one partition by a request. */
export interface PartitionUse {
  readonly table: keyof TableNames
  readonly action: PartitionAction
  readonly partition: string
}

type Client = ReturnType<typeof createModelDynamo>['client']

const actionsByCommand: Readonly<Record<string, PartitionAction>> = {
  GetItemCommand: 'reads',
  BatchGetItemCommand: 'reads',
  QueryCommand: 'reads',
  PutItemCommand: 'writes',
  UpdateItemCommand: 'writes',
  DeleteItemCommand: 'removes',
  BatchWriteItemCommand: 'removes',
}
const actionsByPart: Readonly<Record<string, PartitionAction>> = {
  Put: 'writes',
  Update: 'writes',
  ConditionCheck: 'writes',
  Delete: 'removes',
}

/** Returns the partition keys in a request to DynamoDB, at any depth. */
function listKeys(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) =>
    name === 'pk' || name === ':pk'
      ? [String((member as { readonly S?: string }).S)]
      : listKeys(member),
  )
}

/** Returns the uses of partitions in the input of a command. Throws for an unknown command. */
function listUses(commandName: string, input: object, names: TableNames): readonly PartitionUse[] {
  const usesOf = (tableName: string, action: PartitionAction, value: unknown) => {
    const table: keyof TableNames = tableName === names.journal ? 'journal' : 'catalog'
    return listKeys(value).map(partition => ({ table, action, partition }))
  }
  if (commandName === 'TransactWriteItemsCommand') {
    const { TransactItems } = input as { readonly TransactItems: readonly object[] }
    return TransactItems.flatMap(part => Object.entries(part)).flatMap(([kind, write]) =>
      usesOf(write.TableName, actionsByPart[kind] ?? 'removes', write),
    )
  }
  const action = actionsByCommand[commandName]
  if (action === undefined)
    throw new Error(`this test does not know which permission ${commandName} needs`)
  if ('RequestItems' in input)
    return Object.entries(input.RequestItems as object).flatMap(([table, items]) =>
      usesOf(table, action, items),
    )
  return usesOf((input as { readonly TableName: string }).TableName, action, input)
}

/** Opens a model of DynamoDB whose client records the uses of partitions. */
export async function openRecordingDynamo() {
  const { client } = createModelDynamo()
  const names = createTableNames()
  await createTables(client, names)
  const uses: PartitionUse[] = []
  const send = (command: Parameters<Client['send']>[0], ...rest: readonly object[]) => {
    uses.push(...listUses(command.constructor.name, command.input, names))
    return (client.send as (...args: readonly unknown[]) => unknown)(command, ...rest)
  }
  return { client: { send } as unknown as Client, names, uses }
}

const matchesPattern = (pattern: string, text: string): boolean =>
  pattern.endsWith('*') ? text.startsWith(pattern.slice(0, -1)) : text === pattern

/**
 * Returns the uses that the role of a function does not allow. The function must have partitions or
 * the grant `read`, and no denied partitions.
 */
export function listForbiddenUses(
  name: FunctionName,
  uses: readonly PartitionUse[],
): readonly string[] {
  const grants = functionsTable.find(row => row.name === name)?.grants ?? {}
  const patternsOf = ({ table, action }: PartitionUse): readonly string[] =>
    table === 'catalog'
      ? (grants.catalogPartitions?.[action] ?? []).map(name => catalogPartitions[name])
      : (grants.journalPartitions?.[action] ?? []).map(name => journalPartitions[name])
  const isAllowed = (use: PartitionUse): boolean =>
    (use.action === 'reads' && grants[`${use.table}Table`] === 'read') ||
    patternsOf(use).some(pattern => matchesPattern(pattern, use.partition))
  return uses
    .filter(use => !isAllowed(use))
    .map(({ table, action, partition }) => `${action} ${partition} of the ${table}`)
}

/** Returns the partitions of the catalog that the role of a function allows and no use needs. */
export function listUnusedGrants(
  name: FunctionName,
  uses: readonly PartitionUse[],
): readonly string[] {
  const partitions = functionsTable.find(row => row.name === name)?.grants.catalogPartitions
  return (['reads', 'writes', 'removes'] as const).flatMap(action =>
    (partitions?.[action] ?? [])
      .filter(
        grantName =>
          !uses.some(
            use =>
              use.action === action && matchesPattern(catalogPartitions[grantName], use.partition),
          ),
      )
      .map(grantName => `${action} ${grantName}`),
  )
}
