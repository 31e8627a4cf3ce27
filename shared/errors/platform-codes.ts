/** What `antichain platform` tells of an installation on AWS; rows of the catalogue. */
export const platformCodes = {
  PLATFORM_SETTING_INVALID: {
    exit: 2,
    hint: 'Correct the setting in cdk.json or after --set; docs/aws.md lists all of them.',
  },
  PLATFORM_ENTRY_MISSING: {
    exit: 1,
    hint: 'Take a checkout in which every entry of infra/functions-table.ts is there.',
  },
  PLATFORM_EMULATOR_MISSING: {
    exit: 1,
    hint: 'Install the toolchain that is named; docs/emulators.md says which server needs which.',
  },
  PLATFORM_CREDENTIALS_MISSING: {
    exit: 3,
    hint: 'Sign in (for example `aws sso login`), name a profile with AWS_PROFILE, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.',
  },
  PLATFORM_REGION_MISSING: {
    exit: 2,
    hint: 'Pass --region, or set AWS_REGION.',
  },
  PLATFORM_NOT_BOOTSTRAPPED: {
    exit: 1,
    hint: 'Run `npx cdk bootstrap aws://<account>/<region>` once for this account and region.',
  },
  PLATFORM_PERMISSION_MISSING: {
    exit: 1,
    hint: 'Have the permission named in the message granted; docs/aws.md lists all that are needed.',
  },
  PLATFORM_IMAGE_TOOL_MISSING: {
    exit: 1,
    hint: 'Install Docker, or name another builder of images in CDK_DOCKER, and see that it runs.',
  },
  PLATFORM_STACK_BUSY: {
    exit: 1,
    hint: 'Wait until CloudFormation has ended what it does with the stack, and run the command again.',
  },
  PLATFORM_NOT_FOUND: {
    exit: 6,
    hint: 'Check --installation and --region, or make the installation with `antichain platform deploy`.',
  },
  PLATFORM_FAILED: {
    exit: 1,
    hint: 'Read what CloudFormation says above; it has put back what it had begun.',
  },
} as const
