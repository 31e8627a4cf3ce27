import type { ErrorCode } from '../../shared/errors/catalogue.ts'
import { type DeployError, createError } from '../../shared/errors/error.ts'

/** A pattern in the output of the CDK or CloudFormation, and the error that it indicates. */
interface FailurePattern {
  readonly code: ErrorCode
  readonly pattern: RegExp
  readonly sentence: (match: RegExpExecArray) => string
}

const failurePatterns: readonly FailurePattern[] = [
  {
    // The CDK app of this project prints this format.
    code: 'PLATFORM_SETTING_INVALID',
    pattern: /error\[PLATFORM_SETTING_INVALID\]: (.+)/,
    sentence: match => match[1] ?? 'a setting is invalid',
  },
  {
    code: 'PLATFORM_ENTRY_MISSING',
    pattern: /error\[PLATFORM_ENTRY_MISSING\]: (.+)/,
    sentence: match => match[1] ?? 'an entry point is missing',
  },
  {
    code: 'PLATFORM_STACK_PROTECTED',
    pattern: /Stack \[([\w-]+)\] cannot be deleted while TerminationProtection is enabled/i,
    sentence: match =>
      `the creation of the stack ${match[1] ?? ''} failed earlier, and its protection prevents its deletion`,
  },
  {
    code: 'PLATFORM_NOT_BOOTSTRAPPED',
    pattern: /environment been bootstrapped|cdk-bootstrap\/\w+\/version|requires bootstrap stack/i,
    sentence: () => 'the account is not bootstrapped for the CDK in this region',
  },
  {
    code: 'PLATFORM_PERMISSION_MISSING',
    pattern: /(?:is not authorized to perform:?|not authorized to perform) ([\w:*]+)/i,
    sentence: match => `the permission ${match[1] ?? ''} is missing`,
  },
  {
    code: 'PLATFORM_PERMISSION_MISSING',
    // With `, but are for the right account`, the CDK only warns, and goes on.
    pattern: /AccessDenied(?:Exception)?|could not be used to assume '([^']+)'(?!, but are)/,
    sentence: match => `access was denied${match[1] === undefined ? '' : ` to ${match[1]}`}`,
  },
  {
    code: 'PLATFORM_CREDENTIALS_MISSING',
    pattern: /resolve AWS account|no credentials|ExpiredToken|security token included|load cred/i,
    sentence: () => 'the AWS credentials are missing or invalid',
  },
  {
    code: 'PLATFORM_REGION_MISSING',
    pattern: /Region is missing|Unable to determine (?:the )?(?:default )?region/i,
    sentence: () => 'the AWS region is not set',
  },
  {
    code: 'PLATFORM_IMAGE_TOOL_MISSING',
    pattern:
      /in order to build a container asset|connect to the Docker daemon|spawn docker ENOENT/i,
    sentence: () => 'cannot build the container image of programs',
  },
  {
    // The kernel refuses the programs of an image for another processor.
    code: 'PLATFORM_IMAGE_EMULATION_MISSING',
    pattern: /exec format error|exec user process caused/i,
    sentence: () =>
      `this ${process.arch} machine cannot run the programs of an image for the architecture of the functions`,
  },
  {
    code: 'PLATFORM_STACK_BUSY',
    pattern: /is in (\w+_IN_PROGRESS) state|OperationInProgress/,
    sentence: match =>
      `the stack is being changed${match[1] === undefined ? '' : ` (${match[1]})`}`,
  },
]

/**
 * Returns the error that the output of a failed CDK run indicates. The first matching pattern
 * decides. Without a match the error is PLATFORM_FAILED.
 */
export function cdkErrorOf(output: string): DeployError {
  const plainText = output.replaceAll(colorCodes, '')
  for (const { code, pattern, sentence } of failurePatterns) {
    const match = pattern.exec(plainText)
    if (match !== null) return createError(code, sentence(match))
  }
  return createError('PLATFORM_FAILED', 'the CDK could not change the installation')
}

const colorCodes = new RegExp(`${String.fromCodePoint(27)}\\[[0-9;]*m`, 'g')
