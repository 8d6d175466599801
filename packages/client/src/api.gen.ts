// Written by `npm run docs` from the OpenAPI document.

export interface paths {
    "/api/v1/otp/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a one-time code
         * @description Sends a code that your backend generated, with an approved authentication template. The response means that the message is accepted and will not be lost; its status and webhooks report its delivery. None of the statuses means that the customer has verified the code. A repeat must be identical except for the code: the code is not compared, and a different code under the same Idempotency-Key does not replace the first.
         */
        post: operations["sendOtpMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/otp/messages/{messageId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the status of a one-time code
         * @description The delivery status as the provider has reported it so far. Webhooks report the same, so you need not poll.
         */
        get: operations["getOtpMessage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/otp/verifications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start a verification
         * @description Makes a code of digits, sends it with an approved authentication template, and keeps what is needed to check it until it is approved, locked or expired. One verification takes one unit of the quota of one-time codes, as sending a code does.
         */
        post: operations["startVerification"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/otp/verifications/{verificationId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a verification
         * @description The state of the verification, for example to show how long a customer must wait. Only the response of a check with the status `approved` proves that the customer who is signing in typed the code.
         */
        get: operations["getVerification"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/otp/verifications/{verificationId}/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check a code
         * @description Compares the code that the customer typed. The first check with the right code gets `approved`, and no other check ever does: later ones get OTP_VERIFICATION_ENDED. A wrong code gets `pending` with the attempts that are left, or `locked` if it was the last one. Every check with a wrong code counts, so do not repeat one whose response was lost: read the verification.
         */
        post: operations["checkVerification"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/otp/verifications/{verificationId}/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send the same code again
         * @description Sends the code of a pending verification in another message, which takes another unit of the quota. The code, its time and its attempts stay the same.
         */
        post: operations["resendVerification"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/cod-confirmations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask a customer to confirm an order
         * @description Sends the confirmation template, whose three quick replies are, by position: confirm, cancel, change time. The customer’s answer triggers an event and is part of the confirmation.
         */
        post: operations["createConfirmation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/cod-confirmations/{confirmationId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a confirmation
         * @description The state of a confirmation and of its refusal check.
         */
        get: operations["getConfirmation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/cod-confirmations/{confirmationId}/refusal-check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask a customer whether they refused the parcel
         * @description Sends the refusal template, whose two quick replies are, by position: yes (I refused), no (I did not). A confirmation can have at most one refusal check, which goes from the same sender to the same recipient.
         */
        post: operations["createRefusalCheck"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read events
         * @description The events of the workspace, as webhooks report them, in one order that never changes. To read them all, send `next` of each response as `after` of the next request: no event is missed, even one that is committed late. With `wait` the response comes as soon as there is an event. Pings are not listed, and neither are events whose content was removed.
         */
        get: operations["listEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description A value added in a later release. Treat it like any value that you do not use. */
        LaterValue: string & {
            length?: number;
        };
        /** @description What a program should look at. */
        ErrorCode: ("API_KEY_INVALID" | "NOT_FOUND" | "OTP_SENDER_NOT_FOUND" | "OTP_TEMPLATE_NOT_FOUND" | "OTP_SENDER_UNAVAILABLE" | "OTP_TEMPLATE_NOT_USABLE" | "IDEMPOTENCY_KEY_REUSED" | "DEVELOPER_INVALID_INPUT" | "RECIPIENT_BLOCKED" | "RATE_LIMITED" | "OTP_QUOTA_EXCEEDED" | "OTP_VERIFICATION_NOT_FOUND" | "OTP_VERIFICATION_ENDED" | "OTP_RESEND_LIMITED" | "OTP_RECIPIENT_LIMITED" | "OTP_PUMPING_SUSPECTED" | "OTP_GUESSING_SUSPECTED" | "COD_SENDER_NOT_FOUND" | "COD_TEMPLATE_NOT_FOUND" | "COD_CONFIRMATION_NOT_FOUND" | "EVENT_NOT_FOUND" | "COD_NOT_CONFIGURED" | "COD_LANGUAGE_NOT_CONFIGURED" | "COD_SENDER_UNAVAILABLE" | "COD_TEMPLATE_NOT_USABLE" | "COD_TEMPLATE_PARAMETERS_INVALID" | "COD_CONFIRMATION_NOT_ELIGIBLE" | "COD_REFUSAL_CHECK_EXISTS" | "COD_QUOTA_EXCEEDED" | "INTERNAL_ERROR" | "SERVICE_UNAVAILABLE") | components["schemas"]["LaterValue"];
        InputFault: {
            /** @description The part of the request. */
            in: ("body" | "query" | "path" | "header") | components["schemas"]["LaterValue"];
            /** @description JSON Pointer (RFC 6901) into that part; empty for the whole part. */
            pointer: string;
            /** @description What is wrong there, for people to read. */
            detail: string;
        };
        Problem: {
            /**
             * Format: uri
             * @description The page that explains the code.
             */
            type: string;
            /** @description What the code means. The same for every problem of this code. */
            title: string;
            /** @description The HTTP status. */
            status: number;
            /** @description What is wrong with this request, for people to read. */
            detail: string;
            /** @description The correlation id as a URN. */
            instance: string;
            code: components["schemas"]["ErrorCode"];
            /**
             * Format: uuid
             * @description The same as in X-Correlation-ID. Include it when you ask for help.
             */
            correlationId: string;
            /** @description With `DEVELOPER_INVALID_INPUT` only: every fault of the request. */
            errors?: components["schemas"]["InputFault"][];
        };
        TemplateReference: {
            /** @description Exact template name. */
            name: string;
            /** @description Exact template language code: `en` and `en_US` are two languages. */
            language: string;
        };
        SendOtpMessageRequest: {
            /** @description Recipient in international format with a leading +. */
            to: string;
            /**
             * Format: uuid
             * @description Sender ID of this service, not the phone number ID of the provider.
             */
            senderId: string;
            /** @description The approved template to send. */
            template: components["schemas"]["TemplateReference"];
            /** @description The code that your backend generated. It is never returned. */
            code: string;
            /** @description Your own reference; returned in the status and in events. */
            reference?: string;
            /** @description If no delivery is reported within this many seconds after the request was accepted, `message.undelivered` goes out once, so that your backend can use another channel. */
            deliverWithinSeconds?: number;
        };
        OtpMessageAccepted: {
            /**
             * Format: uuid
             * @description The id of the message; `GET` reads its status.
             */
            messageId: string;
            /**
             * @description The message waits to be sent.
             * @constant
             */
            status: "queued";
            /** @description The `reference` of the request; null without one. */
            reference: string | null;
        };
        OtpMessage: {
            /**
             * Format: uuid
             * @description The id of the message; `GET` reads its status.
             */
            messageId: string;
            /** @description `queued`: accepted; `sending`: an attempt was made; `sent`, `delivered`, `read`, `played`: as WhatsApp reported; `failed`: see `failure`. `accepted` and `received` are reserved. None means that the customer has verified the code. */
            status: ("accepted" | "received" | "queued" | "sending" | "sent" | "delivered" | "read" | "played" | "failed") | components["schemas"]["LaterValue"];
            /** @description The `reference` of the request; null without one. */
            reference: string | null;
            /** @description The recipient in E.164 form; after an erasure of the person’s data, a pseudonym that begins with `erased:`. */
            to: string;
            /**
             * Format: date-time
             * @description When the request was accepted.
             */
            createdAt: string;
            /** @description The earliest time at which the message was sent, delivered, read or played, as WhatsApp reported; never before `createdAt`. Null until then. */
            sentAt: string | null;
            /** @description The `deliverWithinSeconds` of the request; null without one. */
            deliverWithinSeconds: number | null;
            /** @description When `message.undelivered` went out, because no delivery had been reported by then; a later delivery does not clear it. Null if it did not. */
            undeliveredAt: string | null;
            /** @description Why the message failed. Null unless `status` is `failed`; a later report of success clears it. */
            failure: components["schemas"]["Failure"] | null;
        };
        Failure: {
            code: components["schemas"]["FailureCode"];
            /** @description The same in words, for people to read; it names who must act. */
            message: string;
        };
        /**
         * @description What a program should look at. The page `/problems/<code>` says who must act. Treat a code that you do not know as you treat `UNKNOWN`.
         *     - `RECIPIENT_UNREACHABLE`: WhatsApp could not deliver to this number: the number may have no WhatsApp account, the recipient may have an outdated app or may not have accepted WhatsApp’s terms, or the number may be part of a WhatsApp experiment.
         *     - `RECIPIENT_NOT_ALLOWED`: WhatsApp does not let this sender write to this recipient: the business has blocked the recipient on WhatsApp, or the recipient opted out of the business’s marketing, is the sender itself, has a changed identity, is not on the test number’s list, or is in a country that the account may not write to.
         *     - `RECIPIENT_RATE_LIMITED`: This recipient has received too many messages recently.
         *     - `SENDER_RATE_LIMITED`: The sender reached one of WhatsApp’s sending limits.
         *     - `SENDER_UNAVAILABLE`: The sender’s number or its WhatsApp account currently cannot send.
         *     - `PROVIDER_CREDENTIALS_INVALID`: WhatsApp rejected the account’s access token, or the token lacks a permission.
         *     - `TEMPLATE_NOT_FOUND`: WhatsApp has no approved template with this name in exactly this language.
         *     - `TEMPLATE_PAUSED`: WhatsApp is not sending this template at present, or held this message back: the template is paused, or its quality or health is poor.
         *     - `TEMPLATE_DISABLED`: WhatsApp disabled the template.
         *     - `TEMPLATE_PARAMETERS_REJECTED`: WhatsApp rejected the template’s parameter values.
         *     - `POLICY_VIOLATION`: WhatsApp restricted this account or its content for violating a policy.
         *     - `WINDOW_CLOSED`: More than 24 hours have passed since the recipient’s last message.
         *     - `PROVIDER_UNAVAILABLE`: WhatsApp failed, could not be reached, or never reported what happened to the message. In the last case the message may have arrived.
         *     - `SUBMISSION_EXPIRED`: The message could not be submitted to WhatsApp before its submission window closed.
         *     - `RECIPIENT_ERASED`: The recipient’s data was erased while the message waited to be sent or the conversation was running. Nothing more is sent.
         *     - `UNKNOWN`: The message was not delivered, for a reason that has no failure code: WhatsApp gave none that Doorcode knows, or Doorcode itself could not send the message.
         */
        FailureCode: ("RECIPIENT_UNREACHABLE" | "RECIPIENT_NOT_ALLOWED" | "RECIPIENT_RATE_LIMITED" | "SENDER_RATE_LIMITED" | "SENDER_UNAVAILABLE" | "PROVIDER_CREDENTIALS_INVALID" | "TEMPLATE_NOT_FOUND" | "TEMPLATE_PAUSED" | "TEMPLATE_DISABLED" | "TEMPLATE_PARAMETERS_REJECTED" | "POLICY_VIOLATION" | "WINDOW_CLOSED" | "PROVIDER_UNAVAILABLE" | "SUBMISSION_EXPIRED" | "RECIPIENT_ERASED" | "UNKNOWN") | components["schemas"]["LaterValue"];
        StartVerificationRequest: {
            /** @description Recipient in international format with a leading +. */
            to: string;
            /**
             * Format: uuid
             * @description Sender ID of this service, not the phone number ID of the provider.
             */
            senderId: string;
            /** @description The approved template to send. */
            template: components["schemas"]["TemplateReference"];
            /** @description How many digits the code has. Default: 6. */
            length?: number;
            /** @description After how many seconds the code expires. Default: 600. */
            ttlSeconds?: number;
            /** @description The wrong code with this number locks the verification. Default: 5. */
            maxAttempts?: number;
            /** @description Your own reference; returned in the status and in events. */
            reference?: string;
            /** @description If no delivery is reported within this many seconds after the request was accepted, `message.undelivered` goes out once, so that your backend can use another channel. */
            deliverWithinSeconds?: number;
        };
        OtpVerificationAccepted: {
            /**
             * Format: uuid
             * @description The id of the verification, and of its first message: `GET /otp/messages/{messageId}` reads its delivery.
             */
            verificationId: string;
            /**
             * @description The code waits to be sent, and can be checked.
             * @constant
             */
            status: "pending";
            /** @description The `reference` of the request; null without one. */
            reference: string | null;
        };
        OtpVerification: {
            /**
             * Format: uuid
             * @description The id of the verification, and of its first message: `GET /otp/messages/{messageId}` reads its delivery.
             */
            verificationId: string;
            /** @description `pending`: the code can be checked; `approved`: the right code was checked; `expired`: its time passed; `locked`: too many wrong codes were checked. */
            status: ("pending" | "approved" | "expired" | "locked") | components["schemas"]["LaterValue"];
            /** @description The `reference` of the request; null without one. */
            reference: string | null;
            /** @description The recipient in E.164 form; after an erasure of the person’s data, a pseudonym that begins with `erased:`. */
            to: string;
            /**
             * Format: date-time
             * @description When the request was accepted.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When the code expires: from then on it is not approved.
             */
            expiresAt: string;
            /** @description How many wrong codes are left before the verification is locked; 0 when it is over. */
            attemptsLeft: number;
            /** @description How often the code can be sent again; 0 when the verification is over. */
            resendsLeft: number;
            /** @description When the code can be sent again; null if it cannot. */
            nextResendAt: string | null;
            /** @description When the verification was approved, locked or found expired; null while it is pending. */
            endedAt: string | null;
        };
        CheckVerificationRequest: {
            /** @description The code that the customer typed, also in the digits of Arabic, Persian, Urdu, Hindi or Bengali keyboards. It is never returned. */
            code: string;
        };
        OtpVerificationChecked: {
            /**
             * Format: uuid
             * @description The id of the verification, and of its first message: `GET /otp/messages/{messageId}` reads its delivery.
             */
            verificationId: string;
            /** @description `pending`: the code can be checked; `approved`: the right code was checked; `expired`: its time passed; `locked`: too many wrong codes were checked. */
            status: ("pending" | "approved" | "expired" | "locked") | components["schemas"]["LaterValue"];
            /** @description How many wrong codes are left before the verification is locked; 0 when it is over. */
            attemptsLeft: number;
        };
        ResendVerificationRequest: Record<string, never>;
        OtpResendAccepted: {
            /**
             * Format: uuid
             * @description The id of the verification, and of its first message: `GET /otp/messages/{messageId}` reads its delivery.
             */
            verificationId: string;
            /**
             * Format: uuid
             * @description The id of the message; `GET` reads its status.
             */
            messageId: string;
            /**
             * @description The code waits to be sent, and can be checked.
             * @constant
             */
            status: "pending";
        };
        TemplateParameters: {
            /** @description Present exactly when the text header has a parameter. */
            header?: string;
            /** @description An array for numbered parameters, an object for named ones. */
            body?: string[] | {
                [key: string]: string;
            };
        };
        CreateConfirmationRequest: {
            /** @description Recipient in international format with a leading +. */
            to: string;
            /**
             * Format: uuid
             * @description Sender ID of this service, not the phone number ID of the provider.
             */
            senderId: string;
            /** @description The approved template to send. */
            template: components["schemas"]["TemplateReference"];
            /** @description Leave out when the template needs none. */
            parameters?: components["schemas"]["TemplateParameters"];
            /** @description Your order reference; need not be unique. */
            reference: string;
        };
        ConfirmationAccepted: {
            /**
             * Format: uuid
             * @description The id of the confirmation; `GET` reads it.
             */
            confirmationId: string;
            /**
             * @description The question waits to be sent.
             * @constant
             */
            status: "accepted";
            /** @description The `reference` of the request: your order. */
            reference: string;
        };
        Confirmation: {
            /**
             * Format: uuid
             * @description The id of the confirmation; `GET` reads it.
             */
            confirmationId: string;
            /** @description The `reference` of the request: your order. */
            reference: string;
            /** @description The recipient in E.164 form; after an erasure of the person’s data, a pseudonym that begins with `erased:`. */
            to: string;
            /** @description `accepted`: the question is not sent yet; `awaiting_answer`, `rescheduling`: the customer is asked; `confirmed`, `cancelled`, `rescheduled`: their answer; `no_response`: the deadline passed; `failed`: see `failure`. A later answer can change it. */
            status: ("accepted" | "awaiting_answer" | "confirmed" | "cancelled" | "rescheduling" | "rescheduled" | "no_response" | "failed") | components["schemas"]["LaterValue"];
            /** @description When the customer gave the answer in force. Null without one, and while `status` is `rescheduling`. */
            answeredAt: string | null;
            /** @description The delivery time that the customer asked for. Null unless `status` is `rescheduled`. */
            reschedule: components["schemas"]["Reschedule"] | null;
            /** @description Whether the customer refused the parcel. Null until a refusal check is requested. */
            refusalCheck: components["schemas"]["RefusalCheck"] | null;
            /** @description The latest failure of the confirmation or of its refusal check. Null without one. */
            failure: components["schemas"]["Failure"] | null;
            /**
             * Format: date-time
             * @description When the request was accepted.
             */
            createdAt: string;
        };
        Reschedule: {
            /** @description The chosen day, in the delivery time zone of the workspace. Null if none was chosen. */
            date: string | null;
            /** @description The label of the chosen time range, in the language of the template. Null if none was chosen. */
            timeRange: string | null;
            /** @description What the customer wrote instead of choosing. Null without a note. */
            note: string | null;
        };
        RefusalCheck: {
            /** @description `accepted`: the question is not sent yet; `awaiting_answer`, `awaiting_reason`, `awaiting_note`: the customer is asked; `refusal_confirmed`: they refused the parcel; `denied`: they said that they did not; `no_response`: the deadline passed; `failed`: see `failure`. A later answer can change it. */
            status: ("accepted" | "awaiting_answer" | "awaiting_reason" | "awaiting_note" | "denied" | "refusal_confirmed" | "no_response" | "failed") | components["schemas"]["LaterValue"];
            /** @description The label of the chosen reason, in the language of the template. Null if none was chosen. */
            reason: string | null;
            /** @description What the customer wrote about the reason. Null without a note. */
            note: string | null;
            /** @description When the customer gave the answer in force. Null without one. */
            answeredAt: string | null;
        };
        CreateRefusalCheckRequest: {
            /** @description The approved template to send. */
            template: components["schemas"]["TemplateReference"];
            /** @description Leave out when the template needs none. */
            parameters?: components["schemas"]["TemplateParameters"];
        };
        RefusalCheckAccepted: {
            /**
             * Format: uuid
             * @description The id of the confirmation; `GET` reads it.
             */
            confirmationId: string;
            refusalCheck: components["schemas"]["AcceptedRefusalCheck"];
        };
        /** @description The new refusal check. */
        AcceptedRefusalCheck: {
            /**
             * @description The question waits to be sent.
             * @constant
             */
            status: "accepted";
        };
        EventList: {
            /** @description In the order in which they are read. */
            events: components["schemas"]["RecordedEvent"][];
            /** @description Whether more events can be read now, after `next`. */
            hasMore: boolean;
            /** @description The value of `after` for the next request. Null while the workspace has no event. */
            next: string | null;
        };
        /** @description Later releases may add types: ignore any that you do not know. */
        RecordedEvent: components["schemas"]["RecordedMessageSentEvent"] | components["schemas"]["RecordedMessageFailedEvent"] | components["schemas"]["RecordedMessageUndeliveredEvent"] | components["schemas"]["RecordedOtpVerifiedEvent"] | components["schemas"]["RecordedOtpVerificationFailedEvent"] | components["schemas"]["RecordedCodConfirmedEvent"] | components["schemas"]["RecordedCodCancelledEvent"] | components["schemas"]["RecordedCodRescheduleRequestedEvent"] | components["schemas"]["RecordedCodNoResponseEvent"] | components["schemas"]["RecordedCodFailedEvent"] | components["schemas"]["RecordedCodRefusalConfirmedEvent"] | components["schemas"]["RecordedCodRefusalDeniedEvent"] | components["schemas"]["RecordedCodRefusalNoResponseEvent"] | components["schemas"]["RecordedCodRefusalFailedEvent"];
        RecordedMessageSentEvent: {
            /**
             * Format: uuid
             * @description The id of the event, which is its `webhook-id`.
             */
            id: string;
            /**
             * @description The type of the event.
             * @constant
             */
            type: "message.sent";
            /**
             * Format: date-time
             * @description When it happened; equals `data.occurredAt`.
             */
            timestamp: string;
            data: components["schemas"]["MessageSentData"];
        };
        /** @description The message as it was right after the event, as `GET` returns it, and `occurredAt`. */
        MessageSentData: {
            /**
             * Format: uuid
             * @description The id of the message; `GET` reads its status.
             */
            messageId: string;
            /** @description `queued`: accepted; `sending`: an attempt was made; `sent`, `delivered`, `read`, `played`: as WhatsApp reported; `failed`: see `failure`. `accepted` and `received` are reserved. None means that the customer has verified the code. */
            status: ("sent" | "delivered" | "read" | "played") | components["schemas"]["LaterValue"];
            /** @description The `reference` of the request; null without one. */
            reference: string | null;
            /** @description The recipient in E.164 form; after an erasure of the person’s data, a pseudonym that begins with `erased:`. */
            to: string;
            /**
             * Format: date-time
             * @description When the request was accepted.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description The earliest time at which the message was sent, delivered, read or played, as WhatsApp reported; never before `createdAt`. Null until then.
             */
            sentAt: string;
            /** @description The `deliverWithinSeconds` of the request; null without one. */
            deliverWithinSeconds: number | null;
            /** @description When `message.undelivered` went out, because no delivery had been reported by then; a later delivery does not clear it. Null if it did not. */
            undeliveredAt: string | null;
            /** @description Why the message failed. Null unless `status` is `failed`; a later report of success clears it. */
            failure: components["schemas"]["Failure"] | null;
            /**
             * Format: date-time
             * @description When it happened; equals `timestamp`. It strictly increases within one message, verification or confirmation: keep the newest.
             */
            occurredAt: string;
        };
        RecordedMessageFailedEvent: {
            /**
             * Format: uuid
             * @description The id of the event, which is its `webhook-id`.
             */
            id: string;
            /**
             * @description The type of the event.
             * @constant
             */
            type: "message.failed";
            /**
             * Format: date-time
             * @description When it happened; equals `data.occurredAt`.
             */
            timestamp: string;
            data: components["schemas"]["MessageFailedData"];
        };
        /** @description The message as it was right after the event, as `GET` returns it, and `occurredAt`. */
        MessageFailedData: {
            /**
             * Format: uuid
             * @description The id of the message; `GET` reads its status.
             */
            messageId: string;
            /**
             * @description `queued`: accepted; `sending`: an attempt was made; `sent`, `delivered`, `read`, `played`: as WhatsApp reported; `failed`: see `failure`. `accepted` and `received` are reserved. None means that the customer has verified the code.
             * @constant
             */
            status: "failed";
            /** @description The `reference` of the request; null without one. */
            reference: string | null;
            /** @description The recipient in E.164 form; after an erasure of the person’s data, a pseudonym that begins with `erased:`. */
            to: string;
            /**
             * Format: date-time
             * @description When the request was accepted.
             */
            createdAt: string;
            /** @description The earliest time at which the message was sent, delivered, read or played, as WhatsApp reported; never before `createdAt`. Null until then. */
            sentAt: string | null;
            /** @description The `deliverWithinSeconds` of the request; null without one. */
            deliverWithinSeconds: number | null;
            /** @description When `message.undelivered` went out, because no delivery had been reported by then; a later delivery does not clear it. Null if it did not. */
            undeliveredAt: string | null;
            /** @description Why the message failed. Null unless `status` is `failed`; a later report of success clears it. */
            failure: components["schemas"]["Failure"];
            /**
             * Format: date-time
             * @description When it happened; equals `timestamp`. It strictly increases within one message, verification or confirmation: keep the newest.
             */
            occurredAt: string;
        };
        RecordedMessageUndeliveredEvent: {
            /**
             * Format: uuid
             * @description The id of the event, which is its `webhook-id`.
             */
            id: string;
            /**
             * @description The type of the event.
             * @constant
             */
            type: "message.undelivered";
            /**
             * Format: date-time
             * @description When it happened; equals `data.occurredAt`.
             */
            timestamp: string;
            data: components["schemas"]["MessageUndeliveredData"];
        };
        /** @description The message as it was right after the event, as `GET` returns it, and `occurredAt`. */
        MessageUndeliveredData: {
            /**
             * Format: uuid
             * @description The id of the message; `GET` reads its status.
             */
            messageId: string;
            /** @description `queued`: accepted; `sending`: an attempt was made; `sent`, `delivered`, `read`, `played`: as WhatsApp reported; `failed`: see `failure`. `accepted` and `received` are reserved. None means that the customer has verified the code. */
            status: ("queued" | "sending" | "sent") | components["schemas"]["LaterValue"];
            /** @description The `reference` of the request; null without one. */
            reference: string | null;
            /** @description The recipient in E.164 form; after an erasure of the person’s data, a pseudonym that begins with `erased:`. */
            to: string;
            /**
             * Format: date-time
             * @description When the request was accepted.
             */
            createdAt: string;
            /** @description The earliest time at which the message was sent, delivered, read or played, as WhatsApp reported; never before `createdAt`. Null until then. */
            sentAt: string | null;
            /** @description The `deliverWithinSeconds` of the request; null without one. */
            deliverWithinSeconds: number;
            /**
             * Format: date-time
             * @description When `message.undelivered` went out, because no delivery had been reported by then; a later delivery does not clear it. Null if it did not.
             */
            undeliveredAt: string;
            /** @description Why the message failed. Null unless `status` is `failed`; a later report of success clears it. */
            failure: null;
            /**
             * Format: date-time
             * @description When it happened; equals `timestamp`. It strictly increases within one message, verification or confirmation: keep the newest.
             */
            occurredAt: string;
        };
        RecordedOtpVerifiedEvent: {
            /**
             * Format: uuid
             * @description The id of the event, which is its `webhook-id`.
             */
            id: string;
            /**
             * @description The type of the event.
             * @constant
             */
            type: "otp.verified";
            /**
             * Format: date-time
             * @description When it happened; equals `data.occurredAt`.
             */
            timestamp: string;
            data: components["schemas"]["OtpVerifiedData"];
        };
        /** @description The verification as it was right after the event, as `GET` returns it, and `occurredAt`. */
        OtpVerifiedData: {
            /**
             * Format: uuid
             * @description The id of the verification, and of its first message: `GET /otp/messages/{messageId}` reads its delivery.
             */
            verificationId: string;
            /**
             * @description `pending`: the code can be checked; `approved`: the right code was checked; `expired`: its time passed; `locked`: too many wrong codes were checked.
             * @constant
             */
            status: "approved";
            /** @description The `reference` of the request; null without one. */
            reference: string | null;
            /** @description The recipient in E.164 form; after an erasure of the person’s data, a pseudonym that begins with `erased:`. */
            to: string;
            /**
             * Format: date-time
             * @description When the request was accepted.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When the code expires: from then on it is not approved.
             */
            expiresAt: string;
            /** @description How many wrong codes are left before the verification is locked; 0 when it is over. */
            attemptsLeft: number;
            /** @description How often the code can be sent again; 0 when the verification is over. */
            resendsLeft: number;
            /** @description When the code can be sent again; null if it cannot. */
            nextResendAt: string | null;
            /**
             * Format: date-time
             * @description When the verification was approved, locked or found expired; null while it is pending.
             */
            endedAt: string;
            /**
             * Format: date-time
             * @description When it happened; equals `timestamp`. It strictly increases within one message, verification or confirmation: keep the newest.
             */
            occurredAt: string;
        };
        RecordedOtpVerificationFailedEvent: {
            /**
             * Format: uuid
             * @description The id of the event, which is its `webhook-id`.
             */
            id: string;
            /**
             * @description The type of the event.
             * @constant
             */
            type: "otp.verification_failed";
            /**
             * Format: date-time
             * @description When it happened; equals `data.occurredAt`.
             */
            timestamp: string;
            data: components["schemas"]["OtpVerificationFailedData"];
        };
        /** @description The verification as it was right after the event, as `GET` returns it, and `occurredAt`. */
        OtpVerificationFailedData: {
            /**
             * Format: uuid
             * @description The id of the verification, and of its first message: `GET /otp/messages/{messageId}` reads its delivery.
             */
            verificationId: string;
            /** @description `pending`: the code can be checked; `approved`: the right code was checked; `expired`: its time passed; `locked`: too many wrong codes were checked. */
            status: ("expired" | "locked") | components["schemas"]["LaterValue"];
            /** @description The `reference` of the request; null without one. */
            reference: string | null;
            /** @description The recipient in E.164 form; after an erasure of the person’s data, a pseudonym that begins with `erased:`. */
            to: string;
            /**
             * Format: date-time
             * @description When the request was accepted.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When the code expires: from then on it is not approved.
             */
            expiresAt: string;
            /** @description How many wrong codes are left before the verification is locked; 0 when it is over. */
            attemptsLeft: number;
            /** @description How often the code can be sent again; 0 when the verification is over. */
            resendsLeft: number;
            /** @description When the code can be sent again; null if it cannot. */
            nextResendAt: string | null;
            /**
             * Format: date-time
             * @description When the verification was approved, locked or found expired; null while it is pending.
             */
            endedAt: string;
            /**
             * Format: date-time
             * @description When it happened; equals `timestamp`. It strictly increases within one message, verification or confirmation: keep the newest.
             */
            occurredAt: string;
        };
        RecordedCodConfirmedEvent: {
            /**
             * Format: uuid
             * @description The id of the event, which is its `webhook-id`.
             */
            id: string;
            /**
             * @description The type of the event.
             * @constant
             */
            type: "cod.confirmed";
            /**
             * Format: date-time
             * @description When it happened; equals `data.occurredAt`.
             */
            timestamp: string;
            data: components["schemas"]["CodConfirmedData"];
        };
        /** @description The confirmation with its refusal check as it was right after the event, as `GET` returns it, and `occurredAt`. */
        CodConfirmedData: {
            /**
             * Format: uuid
             * @description The id of the confirmation; `GET` reads it.
             */
            confirmationId: string;
            /** @description The `reference` of the request: your order. */
            reference: string;
            /** @description The recipient in E.164 form; after an erasure of the person’s data, a pseudonym that begins with `erased:`. */
            to: string;
            /**
             * @description `accepted`: the question is not sent yet; `awaiting_answer`, `rescheduling`: the customer is asked; `confirmed`, `cancelled`, `rescheduled`: their answer; `no_response`: the deadline passed; `failed`: see `failure`. A later answer can change it.
             * @constant
             */
            status: "confirmed";
            /**
             * Format: date-time
             * @description When the customer gave the answer in force. Null without one, and while `status` is `rescheduling`.
             */
            answeredAt: string;
            /** @description The delivery time that the customer asked for. Null unless `status` is `rescheduled`. */
            reschedule: components["schemas"]["Reschedule"] | null;
            /** @description Whether the customer refused the parcel. Null until a refusal check is requested. */
            refusalCheck: components["schemas"]["RefusalCheck"] | null;
            /** @description The latest failure of the confirmation or of its refusal check. Null without one. */
            failure: components["schemas"]["Failure"] | null;
            /**
             * Format: date-time
             * @description When the request was accepted.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When it happened; equals `timestamp`. It strictly increases within one message, verification or confirmation: keep the newest.
             */
            occurredAt: string;
        };
        RecordedCodCancelledEvent: {
            /**
             * Format: uuid
             * @description The id of the event, which is its `webhook-id`.
             */
            id: string;
            /**
             * @description The type of the event.
             * @constant
             */
            type: "cod.cancelled";
            /**
             * Format: date-time
             * @description When it happened; equals `data.occurredAt`.
             */
            timestamp: string;
            data: components["schemas"]["CodCancelledData"];
        };
        /** @description The confirmation with its refusal check as it was right after the event, as `GET` returns it, and `occurredAt`. */
        CodCancelledData: {
            /**
             * Format: uuid
             * @description The id of the confirmation; `GET` reads it.
             */
            confirmationId: string;
            /** @description The `reference` of the request: your order. */
            reference: string;
            /** @description The recipient in E.164 form; after an erasure of the person’s data, a pseudonym that begins with `erased:`. */
            to: string;
            /**
             * @description `accepted`: the question is not sent yet; `awaiting_answer`, `rescheduling`: the customer is asked; `confirmed`, `cancelled`, `rescheduled`: their answer; `no_response`: the deadline passed; `failed`: see `failure`. A later answer can change it.
             * @constant
             */
            status: "cancelled";
            /**
             * Format: date-time
             * @description When the customer gave the answer in force. Null without one, and while `status` is `rescheduling`.
             */
            answeredAt: string;
            /** @description The delivery time that the customer asked for. Null unless `status` is `rescheduled`. */
            reschedule: components["schemas"]["Reschedule"] | null;
            /** @description Whether the customer refused the parcel. Null until a refusal check is requested. */
            refusalCheck: components["schemas"]["RefusalCheck"] | null;
            /** @description The latest failure of the confirmation or of its refusal check. Null without one. */
            failure: components["schemas"]["Failure"] | null;
            /**
             * Format: date-time
             * @description When the request was accepted.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When it happened; equals `timestamp`. It strictly increases within one message, verification or confirmation: keep the newest.
             */
            occurredAt: string;
        };
        RecordedCodRescheduleRequestedEvent: {
            /**
             * Format: uuid
             * @description The id of the event, which is its `webhook-id`.
             */
            id: string;
            /**
             * @description The type of the event.
             * @constant
             */
            type: "cod.reschedule_requested";
            /**
             * Format: date-time
             * @description When it happened; equals `data.occurredAt`.
             */
            timestamp: string;
            data: components["schemas"]["CodRescheduleRequestedData"];
        };
        /** @description The confirmation with its refusal check as it was right after the event, as `GET` returns it, and `occurredAt`. */
        CodRescheduleRequestedData: {
            /**
             * Format: uuid
             * @description The id of the confirmation; `GET` reads it.
             */
            confirmationId: string;
            /** @description The `reference` of the request: your order. */
            reference: string;
            /** @description The recipient in E.164 form; after an erasure of the person’s data, a pseudonym that begins with `erased:`. */
            to: string;
            /**
             * @description `accepted`: the question is not sent yet; `awaiting_answer`, `rescheduling`: the customer is asked; `confirmed`, `cancelled`, `rescheduled`: their answer; `no_response`: the deadline passed; `failed`: see `failure`. A later answer can change it.
             * @constant
             */
            status: "rescheduled";
            /**
             * Format: date-time
             * @description When the customer gave the answer in force. Null without one, and while `status` is `rescheduling`.
             */
            answeredAt: string;
            /** @description The delivery time that the customer asked for. Null unless `status` is `rescheduled`. */
            reschedule: components["schemas"]["Reschedule"];
            /** @description Whether the customer refused the parcel. Null until a refusal check is requested. */
            refusalCheck: components["schemas"]["RefusalCheck"] | null;
            /** @description The latest failure of the confirmation or of its refusal check. Null without one. */
            failure: components["schemas"]["Failure"] | null;
            /**
             * Format: date-time
             * @description When the request was accepted.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When it happened; equals `timestamp`. It strictly increases within one message, verification or confirmation: keep the newest.
             */
            occurredAt: string;
        };
        RecordedCodNoResponseEvent: {
            /**
             * Format: uuid
             * @description The id of the event, which is its `webhook-id`.
             */
            id: string;
            /**
             * @description The type of the event.
             * @constant
             */
            type: "cod.no_response";
            /**
             * Format: date-time
             * @description When it happened; equals `data.occurredAt`.
             */
            timestamp: string;
            data: components["schemas"]["CodNoResponseData"];
        };
        /** @description The confirmation with its refusal check as it was right after the event, as `GET` returns it, and `occurredAt`. */
        CodNoResponseData: {
            /**
             * Format: uuid
             * @description The id of the confirmation; `GET` reads it.
             */
            confirmationId: string;
            /** @description The `reference` of the request: your order. */
            reference: string;
            /** @description The recipient in E.164 form; after an erasure of the person’s data, a pseudonym that begins with `erased:`. */
            to: string;
            /**
             * @description `accepted`: the question is not sent yet; `awaiting_answer`, `rescheduling`: the customer is asked; `confirmed`, `cancelled`, `rescheduled`: their answer; `no_response`: the deadline passed; `failed`: see `failure`. A later answer can change it.
             * @constant
             */
            status: "no_response";
            /** @description When the customer gave the answer in force. Null without one, and while `status` is `rescheduling`. */
            answeredAt: string | null;
            /** @description The delivery time that the customer asked for. Null unless `status` is `rescheduled`. */
            reschedule: components["schemas"]["Reschedule"] | null;
            /** @description Whether the customer refused the parcel. Null until a refusal check is requested. */
            refusalCheck: components["schemas"]["RefusalCheck"] | null;
            /** @description The latest failure of the confirmation or of its refusal check. Null without one. */
            failure: components["schemas"]["Failure"] | null;
            /**
             * Format: date-time
             * @description When the request was accepted.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When it happened; equals `timestamp`. It strictly increases within one message, verification or confirmation: keep the newest.
             */
            occurredAt: string;
        };
        RecordedCodFailedEvent: {
            /**
             * Format: uuid
             * @description The id of the event, which is its `webhook-id`.
             */
            id: string;
            /**
             * @description The type of the event.
             * @constant
             */
            type: "cod.failed";
            /**
             * Format: date-time
             * @description When it happened; equals `data.occurredAt`.
             */
            timestamp: string;
            data: components["schemas"]["CodFailedData"];
        };
        /** @description The confirmation with its refusal check as it was right after the event, as `GET` returns it, and `occurredAt`. */
        CodFailedData: {
            /**
             * Format: uuid
             * @description The id of the confirmation; `GET` reads it.
             */
            confirmationId: string;
            /** @description The `reference` of the request: your order. */
            reference: string;
            /** @description The recipient in E.164 form; after an erasure of the person’s data, a pseudonym that begins with `erased:`. */
            to: string;
            /**
             * @description `accepted`: the question is not sent yet; `awaiting_answer`, `rescheduling`: the customer is asked; `confirmed`, `cancelled`, `rescheduled`: their answer; `no_response`: the deadline passed; `failed`: see `failure`. A later answer can change it.
             * @constant
             */
            status: "failed";
            /** @description When the customer gave the answer in force. Null without one, and while `status` is `rescheduling`. */
            answeredAt: string | null;
            /** @description The delivery time that the customer asked for. Null unless `status` is `rescheduled`. */
            reschedule: components["schemas"]["Reschedule"] | null;
            /** @description Whether the customer refused the parcel. Null until a refusal check is requested. */
            refusalCheck: components["schemas"]["RefusalCheck"] | null;
            /** @description The latest failure of the confirmation or of its refusal check. Null without one. */
            failure: components["schemas"]["Failure"];
            /**
             * Format: date-time
             * @description When the request was accepted.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When it happened; equals `timestamp`. It strictly increases within one message, verification or confirmation: keep the newest.
             */
            occurredAt: string;
        };
        RecordedCodRefusalConfirmedEvent: {
            /**
             * Format: uuid
             * @description The id of the event, which is its `webhook-id`.
             */
            id: string;
            /**
             * @description The type of the event.
             * @constant
             */
            type: "cod.refusal_confirmed";
            /**
             * Format: date-time
             * @description When it happened; equals `data.occurredAt`.
             */
            timestamp: string;
            data: components["schemas"]["CodRefusalConfirmedData"];
        };
        /** @description The confirmation with its refusal check as it was right after the event, as `GET` returns it, and `occurredAt`. */
        CodRefusalConfirmedData: {
            /**
             * Format: uuid
             * @description The id of the confirmation; `GET` reads it.
             */
            confirmationId: string;
            /** @description The `reference` of the request: your order. */
            reference: string;
            /** @description The recipient in E.164 form; after an erasure of the person’s data, a pseudonym that begins with `erased:`. */
            to: string;
            /** @description `accepted`: the question is not sent yet; `awaiting_answer`, `rescheduling`: the customer is asked; `confirmed`, `cancelled`, `rescheduled`: their answer; `no_response`: the deadline passed; `failed`: see `failure`. A later answer can change it. */
            status: ("accepted" | "awaiting_answer" | "confirmed" | "cancelled" | "rescheduling" | "rescheduled" | "no_response" | "failed") | components["schemas"]["LaterValue"];
            /** @description When the customer gave the answer in force. Null without one, and while `status` is `rescheduling`. */
            answeredAt: string | null;
            /** @description The delivery time that the customer asked for. Null unless `status` is `rescheduled`. */
            reschedule: components["schemas"]["Reschedule"] | null;
            /** @description Whether the customer refused the parcel. Null until a refusal check is requested. */
            refusalCheck: components["schemas"]["RefusalCheckConfirmed"];
            /** @description The latest failure of the confirmation or of its refusal check. Null without one. */
            failure: components["schemas"]["Failure"] | null;
            /**
             * Format: date-time
             * @description When the request was accepted.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When it happened; equals `timestamp`. It strictly increases within one message, verification or confirmation: keep the newest.
             */
            occurredAt: string;
        };
        RefusalCheckConfirmed: {
            /**
             * @description `accepted`: the question is not sent yet; `awaiting_answer`, `awaiting_reason`, `awaiting_note`: the customer is asked; `refusal_confirmed`: they refused the parcel; `denied`: they said that they did not; `no_response`: the deadline passed; `failed`: see `failure`. A later answer can change it.
             * @constant
             */
            status: "refusal_confirmed";
            /** @description The label of the chosen reason, in the language of the template. Null if none was chosen. */
            reason: string | null;
            /** @description What the customer wrote about the reason. Null without a note. */
            note: string | null;
            /**
             * Format: date-time
             * @description When the customer gave the answer in force. Null without one.
             */
            answeredAt: string;
        };
        RecordedCodRefusalDeniedEvent: {
            /**
             * Format: uuid
             * @description The id of the event, which is its `webhook-id`.
             */
            id: string;
            /**
             * @description The type of the event.
             * @constant
             */
            type: "cod.refusal_denied";
            /**
             * Format: date-time
             * @description When it happened; equals `data.occurredAt`.
             */
            timestamp: string;
            data: components["schemas"]["CodRefusalDeniedData"];
        };
        /** @description The confirmation with its refusal check as it was right after the event, as `GET` returns it, and `occurredAt`. */
        CodRefusalDeniedData: {
            /**
             * Format: uuid
             * @description The id of the confirmation; `GET` reads it.
             */
            confirmationId: string;
            /** @description The `reference` of the request: your order. */
            reference: string;
            /** @description The recipient in E.164 form; after an erasure of the person’s data, a pseudonym that begins with `erased:`. */
            to: string;
            /** @description `accepted`: the question is not sent yet; `awaiting_answer`, `rescheduling`: the customer is asked; `confirmed`, `cancelled`, `rescheduled`: their answer; `no_response`: the deadline passed; `failed`: see `failure`. A later answer can change it. */
            status: ("accepted" | "awaiting_answer" | "confirmed" | "cancelled" | "rescheduling" | "rescheduled" | "no_response" | "failed") | components["schemas"]["LaterValue"];
            /** @description When the customer gave the answer in force. Null without one, and while `status` is `rescheduling`. */
            answeredAt: string | null;
            /** @description The delivery time that the customer asked for. Null unless `status` is `rescheduled`. */
            reschedule: components["schemas"]["Reschedule"] | null;
            /** @description Whether the customer refused the parcel. Null until a refusal check is requested. */
            refusalCheck: components["schemas"]["RefusalCheckDenied"];
            /** @description The latest failure of the confirmation or of its refusal check. Null without one. */
            failure: components["schemas"]["Failure"] | null;
            /**
             * Format: date-time
             * @description When the request was accepted.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When it happened; equals `timestamp`. It strictly increases within one message, verification or confirmation: keep the newest.
             */
            occurredAt: string;
        };
        RefusalCheckDenied: {
            /**
             * @description `accepted`: the question is not sent yet; `awaiting_answer`, `awaiting_reason`, `awaiting_note`: the customer is asked; `refusal_confirmed`: they refused the parcel; `denied`: they said that they did not; `no_response`: the deadline passed; `failed`: see `failure`. A later answer can change it.
             * @constant
             */
            status: "denied";
            /** @description The label of the chosen reason, in the language of the template. Null if none was chosen. */
            reason: string | null;
            /** @description What the customer wrote about the reason. Null without a note. */
            note: string | null;
            /**
             * Format: date-time
             * @description When the customer gave the answer in force. Null without one.
             */
            answeredAt: string;
        };
        RecordedCodRefusalNoResponseEvent: {
            /**
             * Format: uuid
             * @description The id of the event, which is its `webhook-id`.
             */
            id: string;
            /**
             * @description The type of the event.
             * @constant
             */
            type: "cod.refusal_no_response";
            /**
             * Format: date-time
             * @description When it happened; equals `data.occurredAt`.
             */
            timestamp: string;
            data: components["schemas"]["CodRefusalNoResponseData"];
        };
        /** @description The confirmation with its refusal check as it was right after the event, as `GET` returns it, and `occurredAt`. */
        CodRefusalNoResponseData: {
            /**
             * Format: uuid
             * @description The id of the confirmation; `GET` reads it.
             */
            confirmationId: string;
            /** @description The `reference` of the request: your order. */
            reference: string;
            /** @description The recipient in E.164 form; after an erasure of the person’s data, a pseudonym that begins with `erased:`. */
            to: string;
            /** @description `accepted`: the question is not sent yet; `awaiting_answer`, `rescheduling`: the customer is asked; `confirmed`, `cancelled`, `rescheduled`: their answer; `no_response`: the deadline passed; `failed`: see `failure`. A later answer can change it. */
            status: ("accepted" | "awaiting_answer" | "confirmed" | "cancelled" | "rescheduling" | "rescheduled" | "no_response" | "failed") | components["schemas"]["LaterValue"];
            /** @description When the customer gave the answer in force. Null without one, and while `status` is `rescheduling`. */
            answeredAt: string | null;
            /** @description The delivery time that the customer asked for. Null unless `status` is `rescheduled`. */
            reschedule: components["schemas"]["Reschedule"] | null;
            /** @description Whether the customer refused the parcel. Null until a refusal check is requested. */
            refusalCheck: components["schemas"]["RefusalCheckNoResponse"];
            /** @description The latest failure of the confirmation or of its refusal check. Null without one. */
            failure: components["schemas"]["Failure"] | null;
            /**
             * Format: date-time
             * @description When the request was accepted.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When it happened; equals `timestamp`. It strictly increases within one message, verification or confirmation: keep the newest.
             */
            occurredAt: string;
        };
        RefusalCheckNoResponse: {
            /**
             * @description `accepted`: the question is not sent yet; `awaiting_answer`, `awaiting_reason`, `awaiting_note`: the customer is asked; `refusal_confirmed`: they refused the parcel; `denied`: they said that they did not; `no_response`: the deadline passed; `failed`: see `failure`. A later answer can change it.
             * @constant
             */
            status: "no_response";
            /** @description The label of the chosen reason, in the language of the template. Null if none was chosen. */
            reason: string | null;
            /** @description What the customer wrote about the reason. Null without a note. */
            note: string | null;
            /** @description When the customer gave the answer in force. Null without one. */
            answeredAt: string | null;
        };
        RecordedCodRefusalFailedEvent: {
            /**
             * Format: uuid
             * @description The id of the event, which is its `webhook-id`.
             */
            id: string;
            /**
             * @description The type of the event.
             * @constant
             */
            type: "cod.refusal_failed";
            /**
             * Format: date-time
             * @description When it happened; equals `data.occurredAt`.
             */
            timestamp: string;
            data: components["schemas"]["CodRefusalFailedData"];
        };
        /** @description The confirmation with its refusal check as it was right after the event, as `GET` returns it, and `occurredAt`. */
        CodRefusalFailedData: {
            /**
             * Format: uuid
             * @description The id of the confirmation; `GET` reads it.
             */
            confirmationId: string;
            /** @description The `reference` of the request: your order. */
            reference: string;
            /** @description The recipient in E.164 form; after an erasure of the person’s data, a pseudonym that begins with `erased:`. */
            to: string;
            /** @description `accepted`: the question is not sent yet; `awaiting_answer`, `rescheduling`: the customer is asked; `confirmed`, `cancelled`, `rescheduled`: their answer; `no_response`: the deadline passed; `failed`: see `failure`. A later answer can change it. */
            status: ("accepted" | "awaiting_answer" | "confirmed" | "cancelled" | "rescheduling" | "rescheduled" | "no_response" | "failed") | components["schemas"]["LaterValue"];
            /** @description When the customer gave the answer in force. Null without one, and while `status` is `rescheduling`. */
            answeredAt: string | null;
            /** @description The delivery time that the customer asked for. Null unless `status` is `rescheduled`. */
            reschedule: components["schemas"]["Reschedule"] | null;
            /** @description Whether the customer refused the parcel. Null until a refusal check is requested. */
            refusalCheck: components["schemas"]["RefusalCheckFailed"];
            /** @description The latest failure of the confirmation or of its refusal check. Null without one. */
            failure: components["schemas"]["Failure"];
            /**
             * Format: date-time
             * @description When the request was accepted.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When it happened; equals `timestamp`. It strictly increases within one message, verification or confirmation: keep the newest.
             */
            occurredAt: string;
        };
        RefusalCheckFailed: {
            /**
             * @description `accepted`: the question is not sent yet; `awaiting_answer`, `awaiting_reason`, `awaiting_note`: the customer is asked; `refusal_confirmed`: they refused the parcel; `denied`: they said that they did not; `no_response`: the deadline passed; `failed`: see `failure`. A later answer can change it.
             * @constant
             */
            status: "failed";
            /** @description The label of the chosen reason, in the language of the template. Null if none was chosen. */
            reason: string | null;
            /** @description What the customer wrote about the reason. Null without a note. */
            note: string | null;
            /** @description When the customer gave the answer in force. Null without one. */
            answeredAt: string | null;
        };
        /** @description Which endpoint was tested, and when. */
        PingData: {
            /**
             * Format: uuid
             * @description The endpoint that was tested.
             */
            endpointId: string;
            /**
             * Format: date-time
             * @description When it happened; equals `timestamp`. It strictly increases within one message, verification or confirmation: keep the newest.
             */
            occurredAt: string;
        };
        PingEvent: {
            /**
             * @description The type of the event.
             * @constant
             */
            type: "ping";
            /**
             * Format: date-time
             * @description When it happened; equals `data.occurredAt`.
             */
            timestamp: string;
            data: components["schemas"]["PingData"];
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    sendOtpMessage: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeating an accepted request with the same key and the same values returns the first response and does nothing again. An empty value is a key like any other. */
                "Idempotency-Key"?: string;
                /** @description Any UUID; the response returns it. The log contains it for a rejected request, and the command `explain` shows it for an accepted request. Anything else is replaced, not rejected. */
                "X-Correlation-ID"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SendOtpMessageRequest"];
            };
        };
        responses: {
            /** @description Accepted. A repeat with the same Idempotency-Key gets the same response. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OtpMessageAccepted"];
                };
            };
        };
    };
    getOtpMessage: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any UUID; the response returns it. The log contains it for a rejected request, and the command `explain` shows it for an accepted request. Anything else is replaced, not rejected. */
                "X-Correlation-ID"?: string;
            };
            path: {
                /** @description A UUID, in any case. */
                messageId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The message. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OtpMessage"];
                };
            };
        };
    };
    startVerification: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeating an accepted request with the same key and the same values returns the first response and does nothing again. An empty value is a key like any other. */
                "Idempotency-Key"?: string;
                /** @description Any UUID; the response returns it. The log contains it for a rejected request, and the command `explain` shows it for an accepted request. Anything else is replaced, not rejected. */
                "X-Correlation-ID"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StartVerificationRequest"];
            };
        };
        responses: {
            /** @description Accepted. A repeat with the same Idempotency-Key gets the same response. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OtpVerificationAccepted"];
                };
            };
        };
    };
    getVerification: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any UUID; the response returns it. The log contains it for a rejected request, and the command `explain` shows it for an accepted request. Anything else is replaced, not rejected. */
                "X-Correlation-ID"?: string;
            };
            path: {
                /** @description A UUID, in any case. */
                verificationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The verification. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OtpVerification"];
                };
            };
        };
    };
    checkVerification: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any UUID; the response returns it. The log contains it for a rejected request, and the command `explain` shows it for an accepted request. Anything else is replaced, not rejected. */
                "X-Correlation-ID"?: string;
            };
            path: {
                /** @description A UUID, in any case. */
                verificationId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CheckVerificationRequest"];
            };
        };
        responses: {
            /** @description The code was checked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OtpVerificationChecked"];
                };
            };
        };
    };
    resendVerification: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeating an accepted request with the same key and the same values returns the first response and does nothing again. An empty value is a key like any other. */
                "Idempotency-Key"?: string;
                /** @description Any UUID; the response returns it. The log contains it for a rejected request, and the command `explain` shows it for an accepted request. Anything else is replaced, not rejected. */
                "X-Correlation-ID"?: string;
            };
            path: {
                /** @description A UUID, in any case. */
                verificationId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ResendVerificationRequest"];
            };
        };
        responses: {
            /** @description Accepted. A repeat with the same Idempotency-Key gets the same response. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OtpResendAccepted"];
                };
            };
        };
    };
    createConfirmation: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeating an accepted request with the same key and the same values returns the first response and does nothing again. An empty value is a key like any other. */
                "Idempotency-Key"?: string;
                /** @description Any UUID; the response returns it. The log contains it for a rejected request, and the command `explain` shows it for an accepted request. Anything else is replaced, not rejected. */
                "X-Correlation-ID"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateConfirmationRequest"];
            };
        };
        responses: {
            /** @description Accepted. A repeat with the same Idempotency-Key gets the same response. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConfirmationAccepted"];
                };
            };
        };
    };
    getConfirmation: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any UUID; the response returns it. The log contains it for a rejected request, and the command `explain` shows it for an accepted request. Anything else is replaced, not rejected. */
                "X-Correlation-ID"?: string;
            };
            path: {
                /** @description A UUID, in any case. */
                confirmationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The confirmation. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Confirmation"];
                };
            };
        };
    };
    createRefusalCheck: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeating an accepted request with the same key and the same values returns the first response and does nothing again. An empty value is a key like any other. */
                "Idempotency-Key"?: string;
                /** @description Any UUID; the response returns it. The log contains it for a rejected request, and the command `explain` shows it for an accepted request. Anything else is replaced, not rejected. */
                "X-Correlation-ID"?: string;
            };
            path: {
                /** @description A UUID, in any case. */
                confirmationId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateRefusalCheckRequest"];
            };
        };
        responses: {
            /** @description Accepted. A repeat with the same Idempotency-Key gets the same response. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RefusalCheckAccepted"];
                };
            };
        };
    };
    listEvents: {
        parameters: {
            query?: {
                /** @description The id of an event, which is its `webhook-id`: the response has the events after it. `latest`: only events recorded from now on. Default, and with the nil UUID: from the oldest event that is kept. */
                after?: string;
                /** @description The maximum number of events in the response. Default: 100. */
                limit?: number;
                /** @description How many seconds to wait for an event if there is none. Default: 0. */
                wait?: number;
            };
            header?: {
                /** @description Any UUID; the response returns it. The log contains it for a rejected request, and the command `explain` shows it for an accepted request. Anything else is replaced, not rejected. */
                "X-Correlation-ID"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The events after `after`; an empty list if there are none. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventList"];
                };
            };
        };
    };
}

/** The error codes of each operation. Later releases may add codes. */
export interface errorCodes {
    sendOtpMessage: "API_KEY_INVALID" | "OTP_SENDER_NOT_FOUND" | "OTP_TEMPLATE_NOT_FOUND" | "OTP_SENDER_UNAVAILABLE" | "OTP_TEMPLATE_NOT_USABLE" | "IDEMPOTENCY_KEY_REUSED" | "DEVELOPER_INVALID_INPUT" | "RECIPIENT_BLOCKED" | "RATE_LIMITED" | "OTP_QUOTA_EXCEEDED" | "INTERNAL_ERROR" | "SERVICE_UNAVAILABLE";
    getOtpMessage: "API_KEY_INVALID" | "NOT_FOUND" | "DEVELOPER_INVALID_INPUT" | "RATE_LIMITED" | "INTERNAL_ERROR" | "SERVICE_UNAVAILABLE";
    startVerification: "API_KEY_INVALID" | "OTP_SENDER_NOT_FOUND" | "OTP_TEMPLATE_NOT_FOUND" | "OTP_SENDER_UNAVAILABLE" | "OTP_TEMPLATE_NOT_USABLE" | "IDEMPOTENCY_KEY_REUSED" | "DEVELOPER_INVALID_INPUT" | "RECIPIENT_BLOCKED" | "RATE_LIMITED" | "OTP_QUOTA_EXCEEDED" | "OTP_GUESSING_SUSPECTED" | "OTP_RECIPIENT_LIMITED" | "OTP_PUMPING_SUSPECTED" | "INTERNAL_ERROR" | "SERVICE_UNAVAILABLE";
    getVerification: "API_KEY_INVALID" | "OTP_VERIFICATION_NOT_FOUND" | "DEVELOPER_INVALID_INPUT" | "RATE_LIMITED" | "INTERNAL_ERROR" | "SERVICE_UNAVAILABLE";
    checkVerification: "API_KEY_INVALID" | "OTP_VERIFICATION_NOT_FOUND" | "OTP_VERIFICATION_ENDED" | "DEVELOPER_INVALID_INPUT" | "RATE_LIMITED" | "INTERNAL_ERROR" | "SERVICE_UNAVAILABLE";
    resendVerification: "API_KEY_INVALID" | "OTP_VERIFICATION_NOT_FOUND" | "OTP_SENDER_NOT_FOUND" | "OTP_TEMPLATE_NOT_FOUND" | "OTP_VERIFICATION_ENDED" | "OTP_SENDER_UNAVAILABLE" | "OTP_TEMPLATE_NOT_USABLE" | "DEVELOPER_INVALID_INPUT" | "RECIPIENT_BLOCKED" | "RATE_LIMITED" | "OTP_QUOTA_EXCEEDED" | "OTP_RESEND_LIMITED" | "INTERNAL_ERROR" | "SERVICE_UNAVAILABLE";
    createConfirmation: "API_KEY_INVALID" | "COD_SENDER_NOT_FOUND" | "COD_TEMPLATE_NOT_FOUND" | "COD_NOT_CONFIGURED" | "COD_LANGUAGE_NOT_CONFIGURED" | "COD_SENDER_UNAVAILABLE" | "COD_TEMPLATE_NOT_USABLE" | "IDEMPOTENCY_KEY_REUSED" | "DEVELOPER_INVALID_INPUT" | "COD_TEMPLATE_PARAMETERS_INVALID" | "RECIPIENT_BLOCKED" | "RATE_LIMITED" | "COD_QUOTA_EXCEEDED" | "INTERNAL_ERROR" | "SERVICE_UNAVAILABLE";
    getConfirmation: "API_KEY_INVALID" | "COD_CONFIRMATION_NOT_FOUND" | "DEVELOPER_INVALID_INPUT" | "RATE_LIMITED" | "INTERNAL_ERROR" | "SERVICE_UNAVAILABLE";
    createRefusalCheck: "API_KEY_INVALID" | "COD_CONFIRMATION_NOT_FOUND" | "COD_SENDER_NOT_FOUND" | "COD_TEMPLATE_NOT_FOUND" | "COD_CONFIRMATION_NOT_ELIGIBLE" | "COD_REFUSAL_CHECK_EXISTS" | "COD_NOT_CONFIGURED" | "COD_LANGUAGE_NOT_CONFIGURED" | "COD_SENDER_UNAVAILABLE" | "COD_TEMPLATE_NOT_USABLE" | "IDEMPOTENCY_KEY_REUSED" | "DEVELOPER_INVALID_INPUT" | "COD_TEMPLATE_PARAMETERS_INVALID" | "RECIPIENT_BLOCKED" | "RATE_LIMITED" | "COD_QUOTA_EXCEEDED" | "INTERNAL_ERROR" | "SERVICE_UNAVAILABLE";
    listEvents: "API_KEY_INVALID" | "EVENT_NOT_FOUND" | "DEVELOPER_INVALID_INPUT" | "RATE_LIMITED" | "INTERNAL_ERROR" | "SERVICE_UNAVAILABLE";
}
