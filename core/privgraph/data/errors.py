"""What can be wrong with data, each in one sentence for its user."""


class DataError(ValueError):
    """Raw files are missing, cannot be fetched, or do not contain what they should."""


class NoConnection(DataError):
    """Raw files cannot be fetched, because their server could not be reached."""


class UploadError(DataError):
    """An upload that is refused; the message is one sentence that says why."""
