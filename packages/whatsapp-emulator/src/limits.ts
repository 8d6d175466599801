/**
 * Every limit of the emulator. The first group is Meta's, which clients must obey; the second keeps the emulator small
 * under any load.
 */
export const META_LIMITS = {
  otpCodeCharacters: 15,
  callbackDataCharacters: 512,
  textBodyCharacters: 4096,
  templateNameCharacters: 512,
  templateHeaderCharacters: 60,
  templateBodyCharacters: 1024,
  templateFooterCharacters: 60,
  templateButtonTextCharacters: 25,
  templateButtons: 10,
  templateUrlButtons: 2,
  templatePhoneButtons: 1,
  templateCouponButtons: 1,
  templateUrlCharacters: 2000,
  templateParameterSpacesInARow: 4,
  /** Meta publishes no figure; 128 is a length that every client sends. */
  quickReplyPayloadCharacters: 128,
  interactiveButtons: 3,
  interactiveButtonTitleCharacters: 20,
  interactiveButtonIdCharacters: 256,
  interactiveButtonBodyCharacters: 1024,
  interactiveListBodyCharacters: 4096,
  interactiveHeaderCharacters: 60,
  interactiveFooterCharacters: 60,
  interactiveListButtonCharacters: 20,
  interactiveSections: 10,
  interactiveSectionTitleCharacters: 24,
  interactiveRows: 10,
  interactiveRowIdCharacters: 200,
  interactiveRowTitleCharacters: 24,
  interactiveRowDescriptionCharacters: 72,
  pairBurstMessages: 45,
  pairIntervalMs: 6_000,
  standardMessagesPerSecond: 80,
  highMessagesPerSecond: 1_000,
  serviceWindowMs: 24 * 60 * 60 * 1000,
  updatesPerWebhook: 1_000,
  overrideCallbackCharacters: 200,
  templatesPerAccount: 250,
  templateCreationsPerHour: 100,
  deletedTemplateNameBlockedMs: 30 * 24 * 60 * 60 * 1000,
  mediaKeptMs: 30 * 24 * 60 * 60 * 1000,
  mediaLinkMs: 5 * 60 * 1000,
} as const

export const EMULATOR_LIMITS = {
  requestBytes: 1_048_576,
  accounts: 1_000,
  numbersPerAccount: 1_000,
  templatesHeld: 1_000,
  scripts: 1_000,
  stepsPerScript: 100,
  scriptDelayMs: 30 * 24 * 60 * 60 * 1000,
  messagesKept: 10_000,
  inboundKept: 10_000,
  conversationsShown: 100,
  actionsPerStep: 20,
  /** Conversations whose current step is remembered. */
  placesKept: 200_000,
  faultsKeptPerScript: 20,
  reviewsPlanned: 1_000,
  blockedNamesKept: 10_000,
  webhookPostsKept: 500,
  webhookBodyCharactersKept: 16_384,
  statusesKeptPerMessage: 100,
  pairsKept: 200_000,
  windowsKept: 200_000,
  /** Phones with changed settings; one more is rejected. */
  phonesKept: 10_000,
  /** Statuses that wait for one phone to come back. */
  heldPerPhone: 200,
  nameCharacters: 100,
  updatesWaiting: 200_000,
  postsInFlight: 32,
  /** The size of all posts that wait for a retry; beyond it a rejected post is lost immediately. */
  retryBytesWaiting: 256 * 1_048_576,
  webhookTimeoutMs: 10_000,
  handshakeTimeoutMs: 5_000,
  hangMs: 10 * 60 * 1000,
  liveStreams: 50,
  liveEntriesPerChat: 100,
  livePosts: 100,
  liveNumbers: 100,
  /** The size of the chats at the start of a stream, so that a proxy can hold them; a whole chat takes a separate request. */
  liveStateBytes: 4 * 1_048_576,
  /** Unread bytes of one stream; beyond it the stream ends. */
  liveBytesWaiting: 8 * 1_048_576,
  liveHeartbeatMs: 20_000,
  lookedAtOnce: 100,
  blockedPerPhone: 100,
  /** The size of the file in the data folder. */
  storeBytes: 256 * 1_048_576,
  clockMoveMs: 90 * 24 * 60 * 60 * 1000,
  /** Far below the time at which years have five digits. */
  clockAheadMs: 3_650 * 24 * 60 * 60 * 1000,
  /** How long one call may take. */
  clockMoveTakesMs: 30_000,
  dueShown: 20,
  pageDefault: 25,
  pageMax: 1_000,
  /** How deep a field expansion may go: `message_templates{quality_score{score}}` has three levels. */
  fieldLevels: 5,
  /** A video of 16 MiB, the largest that Meta takes, and the form around it. Meta takes larger documents. */
  mediaRequestBytes: 17 * 1_048_576,
  mediaKept: 1_000,
  mediaBytesKept: 64 * 1_048_576,
  waitForMessageMs: 10_000,
} as const

const RETRY_GAPS_S = [0, 1, 5, 15, 60, 5 * 60, 15 * 60, 3_600, 3 * 3_600, ...Array<number>(27).fill(6 * 3_600)]

/**
 * Gaps between the attempts of one webhook: none, then ever longer, about seven days in all, as Meta does.
 * Scaled by `retrySpeed`.
 */
export const WEBHOOK_RETRY_GAPS_MS: readonly number[] = RETRY_GAPS_S.map((seconds) => seconds * 1_000)
