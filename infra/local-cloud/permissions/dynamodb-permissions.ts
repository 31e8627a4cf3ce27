import { tableKeys } from '../../../shared/config/aws-resource-names.ts'
import type { AccountLocation, RequiredPermission, ServiceRequest } from './required-permission.ts'

/** An item or a key in DynamoDB's form. */
type Attributes = Readonly<Record<string, { readonly S?: string }>>

/** A part of a request that uses one table. */
interface TablePart {
  readonly TableName: string
  readonly Item?: Attributes
  readonly Key?: Attributes
  readonly ExpressionAttributeValues?: Attributes
}

/** A request: one that uses a single table itself, a transaction, or a batch. */
interface TableRequest extends TablePart {
  readonly TransactItems?: readonly Readonly<Record<string, TablePart>>[]
  readonly RequestItems?: Readonly<Record<string, unknown>>
}

/**
 * Returns the permissions for a request to DynamoDB. A transaction needs the permission of each of
 * its operations. Source: DynamoDB's pages on IAM policy conditions and on transactions.
 */
export function dynamodbPermissionsOf(
  { headers, body }: ServiceRequest,
  location: AccountLocation,
): readonly RequiredPermission[] {
  const [, operation = ''] = (headers['x-amz-target'] ?? '').split('.')
  const request = JSON.parse(body) as TableRequest
  const permissionOf = (action: string, table: string, leadingKeys: readonly string[]) => ({
    action: `dynamodb:${action}`,
    resource: `arn:aws:dynamodb:${location.region}:${location.account}:table/${table}`,
    context: leadingKeys.length === 0 ? {} : { 'dynamodb:LeadingKeys': leadingKeys },
  })
  if (request.TransactItems !== undefined)
    return request.TransactItems.flatMap(item =>
      Object.entries(item).map(([kind, part]) =>
        permissionOf(transactionActions[kind] ?? kind, part.TableName, leadingKeysOf(part)),
      ),
    )
  if (request.RequestItems !== undefined)
    return Object.entries(request.RequestItems).map(([table, part]) =>
      permissionOf(operation, table, [...new Set(partitionKeysOf(part))]),
    )
  return [permissionOf(operation, request.TableName, leadingKeysOf(request))]
}

const transactionActions: Readonly<Record<string, string>> = {
  ConditionCheck: 'ConditionCheckItem',
  Delete: 'DeleteItem',
  Get: 'GetItem',
  Put: 'PutItem',
  Update: 'UpdateItem',
}

/**
 * Returns the partition key of one operation, as a list that is empty if the operation has none. A
 * query names its key in `:pk`.
 */
function leadingKeysOf({ Item, Key, ExpressionAttributeValues }: TablePart): readonly string[] {
  const { S } =
    (Item ?? Key)?.[tableKeys.partition] ??
    ExpressionAttributeValues?.[`:${tableKeys.partition}`] ??
    {}
  return S === undefined ? [] : [S]
}

/** Returns the partition keys in a batch, at any depth. */
function partitionKeysOf(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) =>
    name === tableKeys.partition
      ? [String((member as { readonly S?: string }).S)]
      : partitionKeysOf(member),
  )
}
