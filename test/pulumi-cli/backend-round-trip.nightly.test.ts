import { describeWithServices } from '../aws/describe-with-services.ts'
import { describeRoundTrips } from './backend-round-trip.ts'

describeWithServices('round trips on emulated object stores', ['S3', 'GCS', 'AZBLOB'], () =>
  describeRoundTrips([
    ['s3', 'legacy'],
    ['gs', 'project'],
    ['gs', 'legacy'],
    ['azblob', 'project'],
    ['azblob', 'legacy'],
  ]),
)
