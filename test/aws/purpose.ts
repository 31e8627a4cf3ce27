/**
 * Returns the purpose of a DynamoDB request: its API operation, followed by `arrival` or the kind
 * of its record. `text`: the JSON of the request.
 */
export function purposeOf(operation: string, text: string): string {
  const [, partition = '', sort = ''] =
    /"pk":\{"S":"(\w+)[^"]*"\},"sk":\{"S":"(\w+)/.exec(text) ??
    /":pk":\{"S":"(\w+)/.exec(text) ??
    []
  const recordKind = partition === 'operation' ? sort : partition
  return `${operation} ${text.includes('ADD #arrived') ? 'arrival' : recordKind}`
}
