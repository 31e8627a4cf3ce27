import type { ErrorCode } from '../../shared/errors/catalogue.ts'
import { type DeployError, error } from '../../shared/errors/error.ts'

/** A pattern in the output of the CDK or CloudFormation. The patterns are tested in this order. */
interface Sign {
  readonly code: ErrorCode
  readonly seen: RegExp
  readonly sentence: (found: RegExpExecArray) => string
}

const signs: readonly Sign[] = [
  {
    // The CDK app of this project prints this format.
    code: 'PLATFORM_SETTING_INVALID',
    seen: /error\[PLATFORM_SETTING_INVALID\]: (.+)/,
    sentence: found => found[1] ?? 'a setting is invalid',
  },
  {
    code: 'PLATFORM_ENTRY_MISSING',
    seen: /error\[PLATFORM_ENTRY_MISSING\]: (.+)/,
    sentence: found => found[1] ?? 'an entry point is missing',
  },
  {
    code: 'PLATFORM_NOT_BOOTSTRAPPED',
    seen: /environment been bootstrapped|cdk-bootstrap\/\w+\/version|requires bootstrap stack/i,
    sentence: () => 'the account is not bootstrapped for the CDK in this region',
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
    sentence: () => 'the AWS credentials are missing or invalid',
  },
  {
    code: 'PLATFORM_REGION_MISSING',
    seen: /Region is missing|Unable to determine (?:the )?(?:default )?region/i,
    sentence: () => 'the AWS region is not set',
  },
  {
    code: 'PLATFORM_IMAGE_TOOL_MISSING',
    seen: /in order to build a container asset|connect to the Docker daemon|spawn docker ENOENT/i,
    sentence: () => 'cannot build the container image of programs',
  },
  {
    code: 'PLATFORM_STACK_BUSY',
    seen: /is in (\w+_IN_PROGRESS) state|OperationInProgress/,
    sentence: found =>
      `the stack is being changed${found[1] === undefined ? '' : ` (${found[1]})`}`,
  },
]

/** Returns the error of a failed CDK run, by its output. */
export function cdkErrorOf(output: string): DeployError {
  const plain = output.replaceAll(colours, '')
  for (const { code, seen, sentence } of signs) {
    const found = seen.exec(plain)
    if (found !== null) return error(code, sentence(found))
  }
  return error('PLATFORM_FAILED', 'the CDK could not change the installation')
}

const colours = new RegExp(`${String.fromCodePoint(27)}\\[[0-9;]*m`, 'g')
