/**
 * Returns the purpose of a DynamoDB request from its JSON: the operation, and the first words of
 * its key.
 */
export function purposeOf(operation: string, text: string): string {
  const [, partition = '', sort = ''] =
    /"pk":\{"S":"(\w+)[^"]*"\},"sk":\{"S":"(\w+)/.exec(text) ??
    /":pk":\{"S":"(\w+)/.exec(text) ??
    []
  const recordKind = partition === 'operation' ? sort : partition
  return `${operation} ${text.includes('ADD #arrived') ? 'arrival' : recordKind}`
}
