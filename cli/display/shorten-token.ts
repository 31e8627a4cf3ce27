/**
 * Returns the short form of a type for users, without the parts that repeat: `aws:s3/bucket:Bucket`
 * as `aws:s3:Bucket`, `pkg:index:Thing` as `pkg:Thing`, and the stack as `Stack`.
 */
export function shortenToken(type: string): string {
  const [pkg = '', module = '', name] = type.split(':')
  if (name === undefined || type.split(':').length > 3) return type
  if (pkg === 'pulumi' && module === 'pulumi') return name
  const [folder = '', file] = module.split('/')
  const isRepeated = file !== undefined && file.toLowerCase() === name.toLowerCase()
  const shortModule = isRepeated ? folder : module
  return shortModule === 'index' || shortModule === ''
    ? `${pkg}:${name}`
    : `${pkg}:${shortModule}:${name}`
}
