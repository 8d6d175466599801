/**
 * Every bound of the twin, in one place. The first group is Meta's own and is what callers must obey;
 * the second keeps the twin itself small whatever is thrown at it.
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
  /** Meta publishes no figure; 128 is the length that every client is known to get through. */
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
} as const

export const TWIN_LIMITS = {
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
  customers: 1_000,
  stepsPerCustomer: 100,
  actionsPerStep: 20,
  /** How many people are remembered with the step at which they are. */
  placesKept: 200_000,
  faultsKeptPerCustomer: 20,
  reviewsPlanned: 1_000,
  blockedNamesKept: 10_000,
  webhookPostsKept: 500,
  webhookBodyCharactersKept: 16_384,
  statusesKeptPerMessage: 100,
  pairsKept: 200_000,
  windowsKept: 200_000,
  /** Phones that a customer has turned off, or changed otherwise; one more is refused. */
  phonesKept: 10_000,
  /** Statuses that wait for one phone to come back. */
  heldPerPhone: 200,
  nameCharacters: 100,
  updatesWaiting: 200_000,
  postsInFlight: 32,
  /** Of posts that wait for another attempt; beyond it a refused post is lost at once. */
  retryBytesWaiting: 256 * 1_048_576,
  webhookTimeoutMs: 10_000,
  handshakeTimeoutMs: 5_000,
  hangMs: 10 * 60 * 1000,
  liveStreams: 50,
  liveEntriesPerChat: 100,
  livePosts: 100,
  liveNumbers: 100,
  /** Of the chats with which a stream begins, so that whoever passes them on can hold them; a chat is asked for whole. */
  liveStateBytes: 4 * 1_048_576,
  /** Of one stream that nobody reads; beyond it that stream ends. */
  liveBytesWaiting: 8 * 1_048_576,
  liveHeartbeatMs: 20_000,
  lookedAtOnce: 100,
  blockedPerPhone: 100,
  /** The longest wait after a change until it is being written to the data folder. */
  saveAfterMs: 500,
  /** How many times as long as it took to gather what is written it rests: a tenth of the time at most goes there. */
  saveRestTimes: 9,
  memoryFileBytes: 256 * 1_048_576,
  /** When so much has changed it does not rest: a start reads all of it. */
  saveAfterBytes: 32 * 1_048_576,
  /** Only where the file cannot be written does it come to this; beyond it changes wait for the file. */
  journalBytes: 128 * 1_048_576,
  clockMoveMs: 90 * 24 * 60 * 60 * 1000,
  /** Far beyond what can be tried, and far before dates stop having four digits. */
  clockAheadMs: 3_650 * 24 * 60 * 60 * 1000,
  /** How long one call may take to get there. */
  clockMoveTakesMs: 30_000,
  dueShown: 20,
  pageDefault: 25,
  pageMax: 1_000,
  waitForMessageMs: 10_000,
} as const

/**
 * Gaps between the attempts at one webhook: at once, then ever longer, about seven days in all, as Meta does.
 * Scaled by `retrySpeed`.
 */
export const WEBHOOK_RETRY_GAPS_MS: readonly number[] = [
  0,
  1_000,
  5_000,
  15_000,
  60_000,
  5 * 60_000,
  15 * 60_000,
  60 * 60_000,
  3 * 60 * 60_000,
  ...Array.from({ length: 27 }, () => 6 * 60 * 60_000),
]
