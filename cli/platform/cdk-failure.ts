import type { ErrorCode } from '../../shared/errors/catalogue.ts'
import { type DeployError, error } from '../../shared/errors/error.ts'

/** A sign in what the CDK or CloudFormation said, in the order in which they are looked for. */
interface Sign {
  readonly code: ErrorCode
  readonly seen: RegExp
  readonly sentence: (found: RegExpExecArray) => string
}

const signs: readonly Sign[] = [
  {
    // Ours: the app said it in our own form.
    code: 'PLATFORM_SETTING_INVALID',
    seen: /error\[PLATFORM_SETTING_INVALID\]: (.+)/,
    sentence: found => found[1] ?? 'settings are wrong',
  },
  {
    code: 'PLATFORM_ENTRY_MISSING',
    seen: /error\[PLATFORM_ENTRY_MISSING\]: (.+)/,
    sentence: found => found[1] ?? 'an entry is missing',
  },
  {
    code: 'PLATFORM_NOT_BOOTSTRAPPED',
    seen: /environment been bootstrapped|cdk-bootstrap\/\w+\/version|requires bootstrap stack/i,
    sentence: () => 'the account was not made ready for the CDK in this region',
  },
  {
    code: 'PLATFORM_PERMISSION_MISSING',
    seen: /(?:is not authorized to perform:?|not authorized to perform) ([\w:*]+)/i,
    sentence: found => `the permission ${found[1] ?? ''} is missing`,
  },
  {
    code: 'PLATFORM_PERMISSION_MISSING',
    seen: /AccessDenied(?:Exception)?|could not be used to assume '([^']+)'/,
    sentence: found => `access was denied${found[1] === undefined ? '' : ` to ${found[1]}`}`,
  },
  {
    code: 'PLATFORM_CREDENTIALS_MISSING',
    seen: /resolve AWS account|no credentials|ExpiredToken|security token included|load cred/i,
    sentence: () => 'there are no credentials that hold',
  },
  {
    code: 'PLATFORM_REGION_MISSING',
    seen: /Region is missing|Unable to determine (?:the )?(?:default )?region/i,
    sentence: () => 'no region is named',
  },
  {
    code: 'PLATFORM_IMAGE_TOOL_MISSING',
    seen: /in order to build a container asset|connect to the Docker daemon|spawn docker ENOENT/i,
    sentence: () => 'the image of programs could not be built',
  },
  {
    code: 'PLATFORM_STACK_BUSY',
    seen: /is in (\w+_IN_PROGRESS) state|OperationInProgress/,
    sentence: found =>
      `the stack is being changed${found[1] === undefined ? '' : ` (${found[1]})`}`,
  },
]

/** The error for what the CDK's command line said before it failed. */
export function cdkErrorOf(output: string): DeployError {
  const plain = output.replaceAll(colours, '')
  for (const { code, seen, sentence } of signs) {
    const found = seen.exec(plain)
    if (found !== null) return error(code, sentence(found))
  }
  return error('PLATFORM_FAILED', 'the installation could not be changed')
}

const colours = new RegExp(`${String.fromCodePoint(27)}\\[[0-9;]*m`, 'g')
